import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { AppendFault } from './faults.js';
import type { AppendResult, Expectation } from './log.js';
import { requiresLeader, type NodeState, noteCall, takeFault } from './node-state.js';
import { appendResponse, errors, eventOf, expectationOf, textOf } from './wire.js';

type Request = { readonly stream: string; readonly expected: Expectation; readonly events: ReadonlyArray<NewEvent> };

const requestOf = async (call: ServerReadableStream<AppendReq, AppendResp>): Promise<Request> => {
  let options: AppendReq.Options | undefined;
  const events: Array<NewEvent> = [];
  for await (const message of call as AsyncIterable<AppendReq>) {
    options ??= message.getOptions();
    const proposed = message.getProposedMessage();
    if (proposed !== undefined) events.push(eventOf(proposed));
  }
  const stream = textOf(options!.getStreamIdentifier()!.getStreamName_asU8());
  return { stream, expected: expectationOf(options!), events };
};

const respond = (callback: sendUnaryData<AppendResp>, stream: string, result: AppendResult): void => {
  if (result._tag === 'Deleted') callback(errors.streamDeleted(stream));
  else if (result._tag === 'TooLarge') callback(errors.tooLarge());
  else callback(null, appendResponse(result));
};

const perform = (
  { log, leader, appending, news }: NodeState,
  { stream, expected, events }: Request,
  fault: AppendFault | undefined,
  callback: sendUnaryData<AppendResp>,
): void => {
  const write = (): AppendResult => log.append(stream, expected, events);
  if (fault === undefined) respond(callback, stream, write());
  else if (fault === 'lost-acknowledgement') {
    write();
    callback(errors.reset());
  } else if (fault === 'commit-timeout') {
    write();
    callback(errors.commitTimeout());
  } else if (fault === 'stored-without-response') write();
  else if (fault === 'reset') callback(errors.reset());
  else if (fault === 'claims-conflict')
    respond(callback, stream, { _tag: 'WrongVersion', current: log.revisionOf(stream) });
  else if (fault === 'not-ready') callback(errors.notReady());
  else if (fault === 'not-leader') callback(errors.notLeader(leader()!));
  else if (fault === 'handler-exception') callback(errors.handlerException());
  else if (fault !== 'no-response') {
    appending.add(events[0]!.id);
    news.tell();
    void fault.until.then(() => {
      appending.delete(events[0]!.id);
      respond(callback, stream, write());
    });
  }
};

/** Unary appends, with the server's idempotence and its timeout for a second append of what it is still storing. */
export const makeAppendService = (state: NodeState) => {
  const inFlight = new Map<string, number>();
  const serve = async (
    call: ServerReadableStream<AppendReq, AppendResp>,
    callback: sendUnaryData<AppendResp>,
  ): Promise<void> => {
    const request = await requestOf(call);
    // at first a cancelled call looks like one that is complete
    await nextTurn();
    if (call.cancelled) return;
    const id = request.events[0]!.id;
    inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    state.mostEqualAppends = Math.max(state.mostEqualAppends, inFlight.get(id)!);
    const settled = (): void => void inFlight.set(id, inFlight.get(id)! - 1);
    call.once('cancelled', settled);
    const reply: sendUnaryData<AppendResp> = (...response) => {
      if (!call.cancelled) settled();
      call.removeListener('cancelled', settled);
      callback(...response);
    };
    if (state.faults.isSilent) return;
    if (state.faults.isNotReady) reply(errors.notReady());
    else if (!state.isLeader() && requiresLeader(call.metadata)) reply(errors.notLeader(state.leader()!));
    // the server says so after 2 s
    else if (state.appending.has(id)) reply(errors.commitTimeout());
    else perform(state, request, takeFault(state), reply);
  };
  return (call: ServerReadableStream<AppendReq, AppendResp>, callback: sendUnaryData<AppendResp>): void => {
    noteCall(state, 'append', call);
    serve(call, callback).catch((error: unknown) => callback(error as Error)); // reason: what the stream throws
  };
};
