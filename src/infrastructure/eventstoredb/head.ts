import { asStoreUnavailable, type EventStore } from '../../event-sourcing/event-store.js';
import { taskEither as TE } from 'fp-ts';
import { newestPosition } from './newest-position.js';
import { type Access, onLeader } from './on-leader.js';

export const makeHead =
  (access: Access, ours: ReadonlyArray<string>): EventStore['head'] =>
  (categories = ours) =>
    TE.tryCatch(
      () => onLeader(access, (node, silence) => newestPosition(node, categories, silence)),
      asStoreUnavailable,
    );
