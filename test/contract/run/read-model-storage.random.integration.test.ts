import { expect } from 'chai';
import * as fc from 'fast-check';
import { memoryPlace } from '../read-model-storage/memory-place.js';
import { postgresPlace } from '../read-model-storage/postgres-place.js';
import { answersOf } from '../read-model-storage/random-calls/answers.js';
import { calls } from '../read-model-storage/random-calls/calls.js';
import { aLedger } from '../read-model-storage/ledger-under-test.js';
import { aProjection, type Place } from '../read-model-storage/storage-under-test.js';

const SHOWN_LINES = 4;

/** The first lines in which answers differ. */
const firstDifference = (inMemory: ReadonlyArray<string>, inPostgres: ReadonlyArray<string>): string | undefined => {
  const call = inMemory.findIndex((answer, at) => answer !== inPostgres[at]);
  if (call === -1) return undefined;
  const [one, other] = [inMemory, inPostgres].map((answers) => answers[call]?.split('\n') ?? []);
  const line = one?.findIndex((text, at) => text !== other?.[at]) ?? 0;
  const [memory, postgres] = [one, other].map((lines) => lines?.slice(line, line + SHOWN_LINES).join('\n'));
  return `call ${call}, line ${line}: ${memory}\nin Postgres: ${postgres}`;
};

describe('read model storages in memory and in Postgres', function () {
  this.timeout(180_000);

  let places: ReadonlyArray<Place>;
  let sequence = 0;
  before(async () => {
    places = [memoryPlace(), await postgresPlace()];
    for (const place of places) {
      await place.one.migrate();
      await place.keepLeases();
    }
  });
  after(() => Promise.all(places.map((place) => place.close())));

  for (const { title, aModel, numRuns } of [
    { title: 'answer the same of entities', aModel: aProjection, numRuns: 45 },
    { title: 'answer the same of ledgers', aModel: aLedger, numRuns: 15 },
  ])
    it(title, () =>
      fc.assert(
        fc.asyncProperty(calls, async (made) => {
          sequence += 1;
          const model = aModel();
          const [inMemory = [], inPostgres = []] = await Promise.all(
            places.map((place) => answersOf(place, model, sequence, made)),
          );
          const difference = firstDifference(inMemory, inPostgres);
          if (difference !== undefined) expect.fail(difference);
          expect(inMemory).to.have.length(made.length);
        }),
        { numRuns },
      ),
    );
});
