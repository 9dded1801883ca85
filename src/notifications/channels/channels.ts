import type { z } from 'zod';
import type { FormSettings } from './channel.ts';
import { mailChannel } from './mail/mail-channel.ts';
import { webhookChannel } from './webhook/webhook-channel.ts';

export type { FormSettings } from './channel.ts';

export const CHANNELS = [mailChannel, webhookChannel] as const;

type AnyChannel = (typeof CHANNELS)[number];
type ByMember<Wanted extends keyof AnyChannel['setting']> = {
  [One in AnyChannel as One['setting']['member']]: One['setting'][Wanted];
};
export type ChannelSettings = {
  [Member in keyof ByMember<'record'>]: z.output<ByMember<'record'>[Member]>;
};

const bySetting = <Mapped>(map: (setting: AnyChannel['setting']) => unknown): Mapped =>
  Object.fromEntries(CHANNELS.map(({ setting }) => [setting.member, map(setting)])) as Mapped;

export const settingRecords = bySetting<ByMember<'record'>>(({ record }) => record);

type Forms = { [Member in keyof ByMember<'form'>]: ReturnType<ByMember<'form'>[Member]> };
export const settingForms = (settings: FormSettings) => bySetting<Forms>(({ form }) => form(settings));

export const channelOfKind = (kind: string): AnyChannel | undefined =>
  CHANNELS.find((channel) => channel.kind === kind);
