import type { Flood } from '../support/flood.js';
import type { Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';
import { bodies } from './bodies.js';
import { connections } from './connections.js';
import { pipelining } from './pipelining.js';
import { readers } from './readers.js';
import { uploads } from './uploads.js';

/** Every flood; those with few open files come last, as they need a service of their own. */
export const floodsOf = (seeded: Seeded, tokens: Tokens): ReadonlyArray<Flood> => {
  const floods = [
    ...pipelining(seeded, tokens),
    ...bodies(tokens),
    ...readers(seeded, tokens),
    ...connections(seeded, tokens),
    ...uploads(tokens),
  ];
  return [
    ...floods.filter(({ openFiles }) => openFiles === undefined),
    ...floods.filter(({ openFiles }) => openFiles !== undefined),
  ];
};
