import { newSalt, seal } from '../../../src/event-sourcing/envelope.js';
import type { EventKey } from '../../../src/event-sourcing/event-key.js';
import { median } from '../report.js';
import { unsealedNext } from '../sealed-log.js';
import { historyOf } from './log.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const EVENTS = 200_000;
const TURNS = 40;
const EVENTS_EACH = EVENTS / TURNS;

/** µs an event. */
type Cost = { readonly withMac: number; readonly without: number; readonly difference: number };

type Unsealed = ReturnType<typeof unsealedNext>;

const timeSealing = (facts: ReadonlyArray<Unsealed>, key: EventKey | undefined): number => {
  const began = performance.now();
  for (const fact of facts) seal(fact, newSalt(systemRuntime.random), key);
  return ((performance.now() - began) * 1_000) / facts.length;
};

/**
 * What `seal` takes with a key and without: over 200,000 events each, in turns, every other one of which begins without.
 * Medians; `difference` is that of the differences in each turn.
 */
export const costOfMac = (key: EventKey): Cost => {
  const facts = Array.from(historyOf(EVENTS_EACH).written(), ([stream, fact]) => unsealedNext(stream, fact));
  for (const each of [key, undefined]) timeSealing(facts, each);
  const turns = Array.from({ length: TURNS }, (_, turn) => {
    const order = turn % 2 === 0 ? [key, undefined] : [undefined, key];
    const times = new Map(order.map((each) => [each, timeSealing(facts, each)]));
    return { withMac: times.get(key) ?? NaN, without: times.get(undefined) ?? NaN };
  });
  return {
    withMac: median(turns.map(({ withMac }) => withMac)),
    without: median(turns.map(({ without }) => without)),
    difference: median(turns.map(({ withMac, without }) => withMac - without)),
  };
};
