import { AminoTypes, createDefaultAminoConverters } from '@cosmjs/stargate';
import { expect, test } from 'vitest';
import { anyOf, typeOf } from '../cosmos/conversion/reference.ts';
import { SAMPLES } from '../cosmos/conversion/samples.ts';

/** Types without a converter in the reference library, or whose converter keeps empty members. */
const WITHOUT_REFERENCE =
  /^cosmos-sdk\/(Msg(Grant|Exec|Revoke|GrantAllowance|RevokeAllowance|Unjail|CancelUnb|Create(Perm|Period)).*|v1\/.*)$/;
const WITHOUT_CONTENT = /(ParameterChange|CommunityPool|SoftwareUpgrade)/;

test('the reference library returns the same amino JSON for the types that it supports', () => {
  const types = new AminoTypes(createDefaultAminoConverters());
  const compared = SAMPLES.filter(({ amino }) => {
    return !WITHOUT_REFERENCE.test(amino.type) && !WITHOUT_CONTENT.test(JSON.stringify(amino));
  });
  expect(compared.length).toBeGreaterThan(15);
  for (const { amino, modern } of compared) {
    const { typeUrl, value } = anyOf(modern);
    expect(types.toAmino({ typeUrl, value: typeOf(typeUrl).decode(value) }), amino.type).toEqual(amino);
  }
});
