import type { Flood } from '../support/flood.js';
import type { Tokens } from '../support/requests.js';
import type { Seeded } from '../support/seed.js';
import { bodies } from './bodies.js';
import { connections } from './connections.js';
import { pipelining } from './pipelining.js';
import { readers } from './readers.js';
import { slowBodies } from './slow-bodies.js';
import { uploads } from './uploads.js';
import { writes } from './writes.js';

/** What the normal client meets on this machine without a flood. */
const nothing: Flood = { name: 'no flood', needs: 'nothing', connections: 0, clients: [], seconds: 5 };

/** Every flood; those with few open files come last, as they need a service of their own. */
export const floodsOf = (seeded: Seeded, tokens: Tokens): ReadonlyArray<Flood> => {
  const floods = [
    nothing,
    ...pipelining(seeded, tokens),
    ...bodies(seeded, tokens),
    ...slowBodies(tokens),
    ...readers(seeded, tokens),
    ...connections(seeded, tokens),
    ...uploads(tokens),
    // the last ones, as they leave much behind in the log
    ...writes(seeded, tokens),
  ];
  return [
    ...floods.filter(({ openFiles }) => openFiles === undefined),
    ...floods.filter(({ openFiles }) => openFiles !== undefined),
  ];
};
