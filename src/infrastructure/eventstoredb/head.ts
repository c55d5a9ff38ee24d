import { attempt } from '../../event-sourcing/attempt.js';
import { asStoreUnavailable, type EventStore } from '../../event-sourcing/event-store.js';

import { newestPosition } from './newest-position.js';
import { type Access, onLeader } from './on-leader.js';

export const makeHead =
  (access: Access, ours: ReadonlyArray<string>): EventStore['head'] =>
  (categories = ours) =>
    attempt(() => onLeader(access, (node, silence) => newestPosition(node, categories, silence)), asStoreUnavailable);
