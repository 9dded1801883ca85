import { h, render } from 'preact';
import { App } from './app.tsx';
import { start } from './stores.ts';

const root = document.querySelector('.mount');
if (root) render(h(App, {}), root);
await start();
