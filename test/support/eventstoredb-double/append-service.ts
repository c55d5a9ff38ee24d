import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { AppendFault } from './faults.js';
import type { AppendResult, Expectation } from './log.js';
import { requiresLeader, type NodeState, noteCall } from './node-state.js';
import { appendResponse, errorResponse, errors, eventOf, expectationOf, textOf } from './wire.js';

/** The server's own is 2 s. */
const COMMIT_TIMEOUT = 100;

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

type Request = { readonly stream: string; readonly expected: Expectation; readonly events: ReadonlyArray<NewEvent> };

/** How one append of a call ends: with a response, or with the whole call. */
type Reply = { readonly respond: (response: BatchAppendResp) => void; readonly fail: (error: Error) => void };

const requestOf = (message: BatchAppendReq): Request => {
  const options = message.getOptions()!;
  const stream = textOf(options.getStreamIdentifier()!.getStreamName_asU8());
  return { stream, expected: expectationOf(options), events: message.getProposedMessagesList().map(eventOf) };
};

const responseTo = (result: AppendResult): BatchAppendResp => {
  if (result._tag === 'Deleted') return errorResponse('StreamDeleted');
  return result._tag === 'TooLarge' ? errorResponse('MaximumAppendSizeExceeded') : appendResponse(result);
};

const perform = (
  { log, leader, appending }: NodeState,
  { stream, expected, events }: Request,
  fault: AppendFault | undefined,
  { respond, fail }: Reply,
): void => {
  const write = (): AppendResult => log.append(stream, expected, events);
  if (fault === undefined) respond(responseTo(write()));
  else if (fault === 'lost-acknowledgement') {
    write();
    fail(errors.reset());
  } else if (fault === 'commit-timeout') {
    write();
    respond(errorResponse('Timeout'));
  } else if (fault === 'stored-without-response') write();
  else if (fault === 'reset') fail(errors.reset());
  else if (fault === 'claims-conflict') respond(responseTo({ _tag: 'WrongVersion', current: log.revisionOf(stream) }));
  else if (fault === 'not-ready') respond(errorResponse('Server Is Not Ready'));
  else if (fault === 'not-leader') fail(errors.notLeader(leader()!));
  else if (fault === 'handler-exception') respond(errorResponse('BadRequest'));
  else if (fault !== 'no-response') {
    appending.add(events[0]!.id);
    setTimeout(() => {
      appending.delete(events[0]!.id);
      respond(responseTo(write()));
    }, fault.slow);
  }
};

/**
 * Appends one after another, in the order of arrival, with the server's idempotence and its timeout for a second append
 * of what it is still storing. Like the server's, the call does not end by itself.
 */
export const makeAppendService = (state: NodeState) => {
  const inFlight = new Map<string, number>();

  /** Counts it as under way until it is answered or its call is over. */
  const begin = (call: Call, message: BatchAppendReq, id: string): Reply => {
    inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    state.mostEqualAppends = Math.max(state.mostEqualAppends, inFlight.get(id)!);
    const settled = (): void => {
      call.removeListener('cancelled', settled);
      inFlight.set(id, inFlight.get(id)! - 1);
    };
    call.on('cancelled', settled);
    return {
      respond: (response) => {
        if (call.cancelled || call.destroyed) return;
        settled();
        call.write(response.setCorrelationId(message.getCorrelationId()));
      },
      fail: (error) => {
        if (!call.cancelled && !call.destroyed) call.emit('error', error);
      },
    };
  };

  return (call: Call): void => {
    let taken = 0;
    let isOver = false;
    call.setMaxListeners(0);
    call.on('error', () => undefined);
    call.on('data', (message: BatchAppendReq) => {
      noteCall(state, 'append', call);
      const { isSilent, isNotReady, batchesEndAfter } = state.faults;
      const request = requestOf(message);
      const id = request.events[0]!.id;
      const reply = begin(call, message, id);
      if (isSilent || isOver) return;
      if (isNotReady) reply.respond(errorResponse('Server Is Not Ready'));
      else if (!state.isLeader() && requiresLeader(call.metadata)) reply.fail(errors.notLeader(state.leader()!));
      else if (state.appending.has(id)) setTimeout(() => reply.respond(errorResponse('Timeout')), COMMIT_TIMEOUT);
      else {
        isOver = taken === batchesEndAfter;
        if (isOver) state.faults.batchesEndAfter = undefined;
        perform(state, request, isOver ? 'stored-without-response' : state.faults.appends.shift(), reply);
      }
      taken += 1;
    });
  };
};
