import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { business } from '../../src/entities/business.js';
import { document } from '../../src/entities/document.js';
import type { JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { withReason } from '../../src/event-sourcing/reason.js';
import type { DomainEvent, Serde } from '../../src/event-sourcing/serde.js';
import { businessComparison } from '../../src/read/business-view.js';
import { documentComparison } from '../../src/read/document-view.js';
import { type EventDiffs, makeEventDiffs } from '../../src/read/event-diffs.js';
import { type EventDescription, makeRenderEvents, RENDERING } from '../../src/read/event-view.js';
import type { Description } from '../../src/read/ref.js';
import { frozenHistories } from '../support/fixtures.js';
import { streamOf } from '../support/given-stream.js';
import { pageOf } from '../support/page-of.js';

/**
 * What each rendering of events has ever stood for: the digest of the frozen histories as they are answered. A line is
 * added and never edited, because clients keep answers under entity tags that name the rendering; but who adds to the
 * frozen histories, and changes nothing else, puts in the newest line what the same program makes of them.
 */
const standsFor: Readonly<Record<number, string>> = {
  // without reasons and diffs
  1: 'd7b65250825be5eeed5e11ee008e0ee4',
  // without erased events
  2: 'c4373e8f1bb31421f54bd65eb979e914',
  3: '29def5729cd0b15a72e1e337dd036c51',
};

const descriptionOf = <Event>({
  name,
  describe,
  shown,
}: {
  readonly name: string;
  readonly describe: (event: Event) => Description;
  readonly shown?: ReadonlyArray<string>;
}): EventDescription<Event> => ({ entityType: name, describe, shown });

const rendered = <State, Event extends DomainEvent>(
  histories: string,
  category: string,
  serde: Serde<Event>,
  description: EventDescription<Event>,
  { initialState, diffsOf }: EventDiffs<State>,
): ReadonlyArray<string> => {
  const render = makeRenderEvents(serde, description);
  const all = Object.values(frozenHistories(histories)).flatMap((history) => [
    { history, reason: undefined },
    { history, reason: 'as "told" çè' },
  ]);
  return all.flatMap(({ history, reason }) => {
    const facts = history.map(
      // reason: a fixture is JSON
      ({ type, data, ...how }) => [{ type, data: withReason(data as JsonObject, reason) }, how] as const,
    );
    // the salt is drawn for each event, and so are the hashes
    const stored = streamOf(`${category}-0198f000-0000-7000-8000-000000000001`, ...facts);
    const { bytes } = pageOf(stored.filter((event) => E.isRight(serde.decode(event))));
    const { diffs } = diffsOf('e1', bytes, initialState);
    const answers = [
      render(bytes, false, '[', ']'),
      render(bytes, true, '[', ']'),
      render(bytes, true, '[', ']', diffs),
    ];
    return answers.map((answer) =>
      answer.toString().replaceAll(/"(hash|previousHash|dataHash|fingerprint|salt)":"[^"]*"/g, '"$1":""'),
    );
  });
};

describe('the rendering of events', () => {
  it('is another one as soon as the same events are answered in other bytes', () => {
    const all = [
      ...rendered(
        'businesses',
        'business',
        business.serde,
        descriptionOf(business),
        makeEventDiffs(business.serde, business.decider, businessComparison),
      ),
      ...rendered(
        'documents',
        'document',
        document.serde,
        descriptionOf(document),
        makeEventDiffs(document.serde, document.decider, documentComparison),
      ),
    ];
    const digest = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32);
    expect(
      standsFor[RENDERING],
      'events are rendered in another way than RENDERING stands for, and clients that keep an answer would be told that ' +
        `it has not changed. Undo what changed it, or raise RENDERING in src/read/event-view.ts, and add here the line ` +
        `${RENDERING + 1}: '${digest}'. Only where nothing but the frozen histories was changed edit the newest line`,
    ).to.equal(digest);
  });
});
