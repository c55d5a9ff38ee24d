import type { FoundDrift } from '../../../projections/engine/verify/watch-drift.js';
import type { Logger } from './logger.js';

/** A row that is not what its stream makes, in the log: names of fields, never values. */
export const tellDrift =
  (log: Logger) =>
  ({ projection, stream, kind, fields }: FoundDrift): void =>
    log.error(
      { projection, stream, kind, fields },
      'row drifted: `npm run ops -- projections verify --repair` mends it',
    );
