import { h, render } from 'preact';
import { App } from './app.tsx';

render(h(App, {}), document.body);
