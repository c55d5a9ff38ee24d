import type { ReadModel } from '../../../../projections/read-model.js';
import { whatIsInLedger } from '../ledger-under-test.js';
import { type Place, whatIsThere } from '../storage-under-test.js';
import type { Call } from './calls.js';
import { idsOf } from './drawn.js';
import { makeCaller } from './making-calls.js';

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

const byStream = (one: { readonly stream: string }, other: { readonly stream: string }): number =>
  one.stream < other.stream ? -1 : 1;

/** A value as lines of text, whatever it holds; of objects the members in order. */
const canonical = (value: object): string =>
  JSON.stringify(
    value,
    (_key, member: unknown) => {
      if (typeof member === 'bigint') return `${member}n`;
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
      const entries = member instanceof Map ? [...(member as ReadonlyMap<string, unknown>)] : Object.entries(member);
      return Object.fromEntries(entries.toSorted(byName));
    },
    1,
  );

const whatIsKept = async ({ one, other }: Place, model: ReadModel, sequence: number): Promise<unknown> => {
  const live = (await other.liveCheckpoints()).filter(({ projection }) => projection === model.name);
  const generations = await one.generations(model.name);
  const writers = generations.map((generation) => ({
    ...{ generation, notifies: false },
    lease: { name: generation.name, holder: 'a reader', fencing: '0' },
  }));
  if (model.rowFor === 'event') {
    const isLive = generations.some(({ role }) => role === 'live');
    const stored = other.storedLedger(model.name);
    const rows = isLive ? [await stored.size(), await stored.rows(0n, 100)] : [];
    const kept = await Promise.all(writers.map((writer) => whatIsInLedger(one, { ...writer, projection: model })));
    return { live, rows, kept };
  }
  const there = await whatIsThere(one, model);
  const ids = idsOf(sequence).slice(0, 4);
  const read = writers.map(async (writer) => {
    const rows = one.entityRows({ ...writer, projection: model });
    const stored = other.storedRows(model, writer.generation);
    return [await rows.read(ids), (await rows.parkedStreams(9)).toSorted(), await stored.snapshots(ids)];
  });
  return {
    live,
    // of what was parked at one moment, any may be the last
    generations: there.generations.map(({ lastError: _error, ...status }) => status),
    parked: there.parked.toSorted(byStream),
    read: await Promise.all(read),
  };
};

/** What each call answers and what is kept then, as texts in which generations are named by their number. */
export const answersOf = async (
  place: Place,
  model: ReadModel,
  sequence: number,
  calls: ReadonlyArray<Call>,
): Promise<ReadonlyArray<string>> => {
  const caller = makeCaller(place, model, sequence);
  const answers: Array<string> = [];
  for (const call of calls) {
    const answer = { call, answer: await caller.make(call), kept: await whatIsKept(place, model, sequence) };
    const named = caller.names().map((name, number) => [name, `generation ${number}`] as const);
    // a longer name may begin with a shorter one
    const sorted = named.toSorted(([one], [other]) => other.length - one.length);
    answers.push(sorted.reduce((text, [name, number]) => text.replaceAll(name, number), canonical(answer)));
  }
  return answers;
};
