import type { Position } from '../../event-sourcing/recorded-event.js';
import type { Node } from './node.js';
import { readPage } from './read-page.js';
import { newest } from './read-request.js';

/** Commit position of the last record of the whole log, foreign ones included. Rejects with `CallFailed`. */
export const endOfLog = async (node: Node, silence: number): Promise<Position> =>
  (await readPage(node, newest(1), silence)).events[0]?.position ?? 0n;
