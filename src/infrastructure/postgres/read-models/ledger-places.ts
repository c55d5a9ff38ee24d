import type { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import type { Ledger } from '../../../../projections/ledger.js';
import { ENTITY, NAME, PLACE } from '../../../../projections/engine/postgres/schema/ledger-table.js';
import { indexedPart } from '../../../../projections/engine/ledger/ledger-rows.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { decisionStream, DECISIONS } from '../../../event-sourcing/operators/decision-events.js';
import { categoryOf, entityIdOf, type StoredEvent, type StreamName } from '../../../event-sourcing/recorded-event.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { runIn } from '../../../postgres/statement.js';
import type { DecisionPlace, LedgerPlaces } from '../../../read/ledger-places.js';
import type { ReadModelUnavailable } from '../../../read/queries.js';
import { unavailable } from './read-model.js';

/** Places read at once. */
const PAGE = 10_000;

/** The places of the live generation of a ledger. One that was never made has none. */
export const makeLedgerPlaces = (pool: Pool, { name }: Pick<Ledger, 'name'>): LedgerPlaces => {
  const run = runIn(pool);
  const text = `select idx, revision from read_model.${name}
    where ${ENTITY} = $1 and entity = $2 and category = $3 and ${PLACE} > $4::bigint
    order by ${PLACE} limit ${PAGE}`;

  const places = async (stream: StreamName, count: number): Promise<ReadonlyArray<number>> => {
    const entity = entityIdOf(stream);
    const found: Array<number> = [];
    for (;;) {
      const after = String(found.at(-1) ?? -1);
      const values = [indexedPart(entity), entity, categoryOf(stream), after];
      const rows = await run({ name: `places in ${name}`, text, values });
      for (const [place, revision] of rows) {
        if (found.length === count) return found;
        // a ledger that leaves out an event of a stream is not that of this log
        if (revision !== String(found.length)) return found;
        found.push(Number(place));
      }
      if (rows.length < PAGE) return found;
    }
  };

  const place = async ({ stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>): Promise<number | undefined> => {
    const one = `select idx from read_model.${name}
      where ${ENTITY} = $1 and entity = $2 and category = $3 and revision = $4::bigint order by ${PLACE} limit 1`;
    const entity = entityIdOf(stream);
    const values = [indexedPart(entity), entity, categoryOf(stream), String(revision)];
    const [[found] = []] = await run({ name: `place in ${name}`, text: one, values });
    return typeof found === 'string' ? Number(found) : undefined;
  };

  const count = async (place: number): Promise<number> => {
    const below = `select count(*) from read_model.${name} where idx < $1::bigint`;
    const [[found] = []] = await run({ name: `events below in ${name}`, text: below, values: [String(place)] });
    return Number(found);
  };

  // operators decide by hand, so there are few of them
  const decisions = async (stream: StreamName, place: number): Promise<ReadonlyArray<DecisionPlace>> => {
    const about = `select idx, entity, revision from read_model.${name}
      where category = $1 and ${NAME} = $2 and $3 = any(refs) and ${PLACE} < $4::bigint order by ${PLACE}`;
    const values = [DECISIONS, 'ProjectionEventSkipped', indexedPart(entityIdOf(stream)), String(place)];
    const rows = await run({ name: `decisions in ${name}`, text: about, values });
    return rows.map(([index, subject, revision]) => ({
      index: Number(index),
      stream: decisionStream(String(subject)),
      revision: BigInt(String(revision)),
    }));
  };

  const unlessNone = <A>(read: () => Promise<A>, none: A): Promise<E.Either<ReadModelUnavailable, A>> =>
    attempt(() => unlessNoTable(read, none), unavailable);

  return {
    ofStream: (stream, most) => unlessNone(() => places(stream, most), []),
    decisionsAbout: (stream, place) => unlessNone(() => decisions(stream, place), []),
    ofEvent: (event) => unlessNone(() => place(event), undefined),
    below: (place) => unlessNone(() => count(place), 0),
  };
};
