import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import type { CommandCall, CommandFailure, Handled } from '../../src/event-sourcing/command/command-call.js';
import type { ShownRows } from '../../src/event-sourcing/command/shown-rows.js';
import type { FindSnapshot } from '../../src/event-sourcing/command/snapshot.js';
import type { Decisions } from '../../src/event-sourcing/decisions.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { OnLost } from '../../src/event-sourcing/log-memory.js';
import { type CommandLimits, makeHandleCommand } from '../../src/event-sourcing/command/handle-command.js';
import { extendChain, chainStart } from '../../src/event-sourcing/hash-chain.js';
import {
  decidePassingOver,
  type FindSkipped,
  noneSkipped,
  readPassingOver,
  type PassedOver,
} from '../../src/event-sourcing/passed-over.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import {
  type Notebook,
  type NotebookCommand,
  notebookDecider,
  type NotebookEvent,
  type NotebookRefusal,
  notebookSerde,
} from './notebook.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';

type Outcome = E.Either<NotebookRefusal | CommandFailure, Handled<Notebook, NotebookEvent | PassedOver>>;

type Asked = Partial<CommandCall<NotebookCommand>> & {
  /** `Idempotency-Key` of the request. */
  readonly key?: string;
  readonly request?: string;
  /** When its answer is due. */
  readonly until?: number;
};

const KEYS = '2f1c9a52-6a0e-4f5e-9f5d-0a4b6c8d1e2f';

export const open: NotebookCommand = { _tag: 'Open' };
export const close: NotebookCommand = { _tag: 'Close' };
export const take = (...texts: ReadonlyArray<string>): NotebookCommand => ({ _tag: 'Take', texts });

/** One process that handles commands on notebooks: with a cache and queues of its own. */
export const aProcess = (
  store: EventStore,
  {
    runtime = systemRuntime,
    eventKey,
    onLost = () => undefined,
    findSkipped,
    decisions,
    findSnapshot,
    rows,
    ...limits
  }: Partial<CommandLimits> & {
    readonly runtime?: Runtime;
    readonly eventKey?: EventKey;
    readonly onLost?: OnLost;
    readonly findSkipped?: FindSkipped;
    readonly decisions?: Decisions;
    readonly findSnapshot?: FindSnapshot<Notebook>;
    readonly rows?: ShownRows;
  } = {},
) => {
  const handle = makeHandleCommand({
    decider: decidePassingOver(notebookDecider),
    serde: readPassingOver(notebookSerde, findSkipped ?? (() => noneSkipped)),
    store,
    runtime,
    eventKey,
    onLost,
    limits,
    ...(findSkipped && { findSkipped }),
    ...(decisions && { decisions }),
    ...(findSnapshot && { findSnapshot }),
    ...(rows && { rows }),
  });
  return (
    stream: StreamName,
    command: NotebookCommand,
    { key, request, until, ...over }: Asked = {},
  ): Promise<Outcome> =>
    handle(
      {
        stream,
        command,
        envelope: {
          commandId: key === undefined ? uuidv7() : uuidv5(key, KEYS),
          actor: 'alice',
          correlationId: 'request-1',
          request: request ?? JSON.stringify(command),
        },
        fresh: false,
        ...over,
      },
      until,
    );
};

export const aNotebook = (): StreamName => `notebook-${randomUUID()}`;

/** What the stream holds; throws when its hashes do not form a chain. */
export const chainOf = async (store: EventStore, stream: StreamName): Promise<ReadonlyArray<StoredEvent>> => {
  const events: Array<StoredEvent> = [];
  let end = chainStart;
  for await (const page of store.readStream(stream, { direction: 'forwards' })) {
    events.push(...page);
    for (const event of page) {
      const extended = extendChain(end, event);
      if (E.isLeft(extended)) throw new Error(extended.left.reason);
      end = extended.right;
    }
  }
  return events;
};

/** The texts of a notebook, from its stream. */
export const notesOf = async (store: EventStore, stream: StreamName): Promise<ReadonlyArray<string>> =>
  (await chainOf(store, stream))
    .filter(({ type }) => type === 'NoteTaken')
    // reason: events of this type were written by the decider
    .map(({ data }) => (JSON.parse(data) as { readonly text: string }).text);

/** For arranging and for single facts: throws on a failure. */
export const handled = async (outcome: Promise<Outcome>): Promise<Handled<Notebook, NotebookEvent | PassedOver>> => {
  const result = await outcome;
  if (E.isLeft(result)) throw new Error(`failed: ${result.left._tag}`, { cause: result.left });
  return result.right;
};
