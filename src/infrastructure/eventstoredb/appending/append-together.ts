import { appendBytes } from '../../../event-sourcing/append-limits.js';
import { nextRevision } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { CallFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { type AppendResponse, callAppend } from './append-call.js';
import { callBatchAppend } from './batch-append-call.js';

/** Calls under way on a connection: what comes meanwhile waits, and is then sent together. */
const MAX_CALLS = 2;
/** A call takes so many appends, or fewer large ones. */
const MAX_APPENDS = 64;
const MAX_BYTES = 1024 * 1024;

type Waiting = {
  readonly append: Append;
  /** When it is given up, of `Clock.monotonic`. */
  readonly until: number;
  readonly resolve: (response: AppendResponse | Promise<AppendResponse>) => void;
  readonly reject: (failure: unknown) => void;
};

type Together = (append: Append, timeout: number) => Promise<AppendResponse>;

const noAnswer = (): CallFailed => new CallFailed('outcome-unknown', 'EventStoreDB did not answer an append in time');

const left = ({ runtime: { clock } }: Node, until: number): number => Math.max(1, until - clock.monotonic());

const appendOne = (node: Node, { append, until }: Waiting): Promise<AppendResponse> =>
  callAppend(node, append, left(node, until));

/** Settles each; resolves when the call is over. */
const appendBatch = async (node: Node, batch: ReadonlyArray<Waiting>): Promise<void> => {
  const timeout = left(node, Math.min(...batch.map(({ until }) => until)));
  const appends = batch.map(({ append }) => append);
  const outcomes = await callBatchAppend(node, appends, { timeout, isSequence: false });
  for (const [index, waiting] of batch.entries()) {
    const { expected, events } = waiting.append;
    const outcome = outcomes[index];
    if (outcome === undefined) waiting.reject(noAnswer());
    // appended alone, it is told which revision there is
    else if (outcome === 'wrong-revision') waiting.resolve(appendOne(node, waiting));
    else {
      const revision = nextRevision(expected) + BigInt(events.length - 1);
      waiting.resolve({ _tag: 'Stored', revision, position: outcome });
    }
  }
};

const makeTogether = (node: Node): Together => {
  const { clock } = node.runtime;
  const waiting: Array<Waiting> = [];
  let calls = 0;
  let isScheduled = false;

  const takeBatch = (): ReadonlyArray<Waiting> => {
    let bytes = 0;
    let count = 0;
    for (const { append } of waiting.slice(0, MAX_APPENDS)) {
      bytes += appendBytes(append.events);
      if (count > 0 && bytes > MAX_BYTES) break;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const send = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
    const [only] = batch;
    calls += 1;
    try {
      if (batch.length === 1 && only !== undefined) only.resolve(await appendOne(node, only));
      else await appendBatch(node, batch);
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
    calls -= 1;
    flush();
  };

  const giveUpLate = (): void => {
    const now = clock.monotonic();
    while (waiting[0] !== undefined && waiting[0].until <= now)
      waiting
        .shift()
        ?.reject(new CallFailed('not-executed', 'EventStoreDB did not answer the appends before this one'));
  };

  const flush = (): void => {
    isScheduled = false;
    giveUpLate();
    while (calls < MAX_CALLS && waiting.length > 0) void send(takeBatch());
  };

  return (append, timeout) =>
    new Promise((resolve, reject) => {
      waiting.push({ append, until: clock.monotonic() + timeout, resolve, reject });
      if (isScheduled || calls >= MAX_CALLS) return;
      isScheduled = true;
      clock.soon(flush);
    });
};

const byNode = new WeakMap<Node, Together>();

/**
 * Appends, together with what others append on the connection at the same time: a call costs several times what an append
 * in it costs, here and in the server. Alone, it is a call of its own. Rejects with `CallFailed`, also after `timeout`
 * milliseconds; what becomes of an append in a call that fails is unknown.
 */
export const appendTogether = (node: Node, append: Append, timeout: number): Promise<AppendResponse> => {
  let together = byNode.get(node);
  if (together === undefined) byNode.set(node, (together = makeTogether(node)));
  return together(append, timeout);
};
