import type { LedgerKind } from '../../projections/ledger.js';
import { option as O } from 'fp-ts';
import { makeExecute } from '../application/execute.js';
import { makeForesee } from '../application/foresee.js';
import { makeHandleCommand } from '../event-sourcing/command/handle-command.js';
import type { JsonObject } from '../event-sourcing/canonical-json.js';
import type { FindSnapshot } from '../event-sourcing/command/snapshot.js';
import { entityIdOf } from '../event-sourcing/recorded-event.js';
import type { DomainEvent } from '../event-sourcing/serde.js';
import { decidePassingOver, foldPassingOver, readPassingOver } from '../event-sourcing/passed-over.js';
import { makeRecords } from '../read/event-record.js';
import type { Comparison } from '../read/event-diffs.js';
import { makeGetView } from '../read/get-view.js';
import { type History, makeHistory } from '../read/history.js';
import { partLifecycle } from '../read/record-body.js';
import { makeEarlierState } from './earlier-state.js';
import type { Connected, EntityDefinitionOf, EntityPorts, HistoryPorts } from './entity-definition.js';

/** Compares records as they are answered. */
const comparingRendered = <State>(render: (id: string, state: State) => O.Option<string>): Comparison<State> => ({
  recordOf: (id, state) => {
    const text = render(id, state);
    if (O.isNone(text)) return undefined;
    const { _id, ...record } = JSON.parse(text.value) as JsonObject; // reason: a record is an object
    return record;
  },
  identifiedBy: {},
});

/** The history of a kind of entity, in which skipped events change nothing. */
const historyOf = <State, Command, Event extends DomainEvent, Rejection>(
  definition: Omit<EntityDefinitionOf<State, Command, Event, Rejection>, 'routes'>,
  { clock, store, findSkipped }: HistoryPorts,
): History<State> => {
  const { name, projection, decider, serde, describe, shown, render } = definition;
  const { comparison = comparingRendered(render) } = definition;
  return makeHistory({
    ...{ clock, store, serde, comparison, category: projection.category },
    folding: { serde: readPassingOver(serde, findSkipped), fold: foldPassingOver(decider) },
    description: { entityType: name, describe, shown },
  });
};

/** Joins the rules of a kind of entity with the log, and its views with its read model. */
export const connect = <State, Command, Event extends DomainEvent, Rejection>(
  definition: Omit<EntityDefinitionOf<State, Command, Event, Rejection>, 'routes'>,
  ports: EntityPorts,
): Connected<State, Command, Rejection> => {
  const { name, projection, decider, serde, render } = definition;
  const {
    store,
    queries,
    findTrustedRow,
    findSkipped,
    rows,
    decisions,
    onLost,
    eventKey,
    progress,
    freshness,
    feed,
    runtime,
  } = ports;
  const { clock } = runtime;
  const { stateOf } = projection;
  const findSnapshot: FindSnapshot<State> = async (stream) => {
    const row = await findTrustedRow(entityIdOf(stream));
    if (row === undefined) return undefined;
    const { summary, body, hidden, revision, creationPosition } = row;
    const { record, createdAt } = partLifecycle(body);
    return { ...summary, createdAt, state: stateOf({ body: record, hidden }), revision, creationPosition };
  };
  const history = historyOf(definition, { ...ports, clock });
  const passingOver = decidePassingOver(decider);
  return {
    execute: makeExecute(
      clock,
      makeHandleCommand({
        decider: passingOver,
        serde: readPassingOver(serde, findSkipped),
        findSkipped,
        store,
        findSnapshot,
        rows,
        decisions,
        onLost,
        eventKey,
        runtime,
      }),
      progress,
      onLost,
    ),
    foresee: makeForesee({
      clock,
      decider: passingOver,
      stateNow: (id, ...reading) => history.stateAsOf(id, { _tag: 'Now' }, ...reading),
    }),
    history,
    earlier: makeEarlierState(clock, history),
    reads: {
      get: makeGetView({ clock, queries, history, freshness, render }),
      freshness,
      page: queries.page,
      all: queries.all,
      count: queries.count,
      newestRevision: history.newestRevision,
      events: history.events,
      follow: (id, request) => feed.open({ ...request, filter: { entityType: name, entity: id } }),
    },
  };
};

/** How the ledger shows its events. */
const ledgerKindOf = <State, Command, Event extends DomainEvent, Rejection>({
  name,
  serde,
  describe,
  shown,
  projection: { category, eventTypes },
}: Omit<EntityDefinitionOf<State, Command, Event, Rejection>, 'routes'>): LedgerKind => ({
  category,
  entityType: name,
  hasRow: () => true,
  ...makeRecords(serde, { entityType: name, describe, shown }, eventTypes),
});

/** A definition for the registry: `serve` keeps the types of its states, commands and events to itself. */
export const defineEntity = <State, Command, Event extends DomainEvent, Rejection>({
  routes,
  ...definition
}: EntityDefinitionOf<State, Command, Event, Rejection>) => ({
  ...definition,
  ledgerKind: ledgerKindOf(definition),
  history: (ports: HistoryPorts) => historyOf(definition, ports),
  serve: (ports: EntityPorts) => routes(connect(definition, ports), ports),
});
