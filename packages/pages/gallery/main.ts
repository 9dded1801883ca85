import { h, render } from 'preact';
import { Gallery } from './gallery.tsx';

render(h(Gallery, {}), document.body);
