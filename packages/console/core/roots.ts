import { options, type VNode } from 'preact';

/* Preact numbers the IDs of each root from 0. While the page has several roots, each root has its own prefix. */

let roots = 0;
const hooks = options as { __?: (root: VNode, parent: unknown) => void };
const before = hooks.__;
hooks.__ = (root, parent) => {
  roots += 1;
  if (root) Object.assign(root, { __m: [roots, 0] });
  before?.(root, parent);
};
