import { taskEither as TE } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { CreateBusiness } from '../../domain/business/commands.js';
import { commandIdsOf, envelopeOf, type Origin } from '../origin.js';
import { businessStream, type ExecuteBusiness } from './execute-business.js';

/** Creates a business under a new id (the same one again for the same `Idempotency-Key`). */
export const createBusiness = (execute: ExecuteBusiness) => (origin: Origin, fields: CreateBusiness['fields']) => {
  const ids = commandIdsOf(origin);
  const command: CreateBusiness = { _tag: 'CreateBusiness', businessId: ids.entityId, fields };
  return pipe(
    execute({
      stream: businessStream(ids.entityId),
      command,
      envelope: envelopeOf(origin, ids, command),
      precondition: origin.precondition,
      fresh: true,
    }),
    TE.map((outcome) => ({ ...outcome, businessId: ids.entityId })),
  );
};
