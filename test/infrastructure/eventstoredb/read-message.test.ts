import streams, { type ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { storedEventOf } from '../../../src/event-sourcing/stream-page.js';
import { decodeReadMessage } from '../../../src/infrastructure/eventstoredb/reading/read-response.js';
import {
  caughtUpResponse,
  checkpointResponse,
  confirmationResponse,
  eventResponse,
  notFoundResponse,
} from '../../support/eventstoredb-double/wire.js';

const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);
const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const record = fc.record({
  id: fc.uuid(),
  type: text,
  data: text,
  metadata: text,
  stream: fc.uuid().map((id) => `business-${id}` as const),
  revision: uint64,
  position: uint64,
});

/** The message, with the texts of its event. */
const decodeBytes = (bytes: Buffer) => {
  const message = decodeReadMessage(bytes);
  return message._tag === 'Event' ? { ...message, event: storedEventOf(message.event) } : message;
};

const decode = (response: ReadResp) => decodeBytes(Buffer.from(response.serializeBinary()));

describe('a message of a read of EventStoreDB', () => {
  it('gives every field of an event as it was sent', () => {
    fc.assert(
      fc.property(record, (event) => {
        expect(decode(eventResponse(event))).to.deep.equal({ _tag: 'Event', event });
      }),
    );
  });

  it('is read past what is not needed, also what a later server adds', () => {
    const event = { id: '', type: 'T', data: '{}', metadata: '', stream: 'a-1' as const, revision: 1n, position: 300n };
    const response = eventResponse(event);
    const link = new streams.ReadResp.ReadEvent.RecordedEvent();
    link.setData(Buffer.from('another'));
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(Buffer.from('another-stream'));
    link.setStreamIdentifier(identifier);
    response.getEvent()!.setLink(link);
    const known = Buffer.from(response.serializeBinary());
    // fields 100 to 103, of each wire type
    const [varint, fixed64, fixed32] = ['a00680f71f', 'a9060102030405060708', 'b50601020304'];
    const unknown = Buffer.from(`${varint}${fixed64}${fixed32}ba0603616263`, 'hex');
    expect(decodeBytes(Buffer.concat([unknown, known, unknown]))).to.deep.equal({ _tag: 'Event', event });
  });

  it('tells checkpoints and the end of catching up from what only concerns the call', () => {
    fc.assert(
      fc.property(uint64, (commit) => {
        const checkpoint = { commit, prepare: commit };
        expect(decode(checkpointResponse(commit, commit))).to.deep.equal({ _tag: 'Checkpoint', checkpoint });
      }),
    );
    expect(decode(caughtUpResponse())).to.deep.equal({ _tag: 'CaughtUp' });
    for (const other of [confirmationResponse(), notFoundResponse('a stream')])
      expect(decode(other)).to.deep.equal({ _tag: 'Other' });
  });

  it('is not taken for whole when it is cut', () => {
    const whole = Buffer.from(
      eventResponse({
        id: 'i',
        type: 't',
        data: 'd',
        metadata: 'm',
        stream: 'a-1',
        revision: 1n,
        position: 2n,
      }).serializeBinary(),
    );
    for (let length = 1; length < whole.length; length += 1)
      expect(() => decodeReadMessage(whole.subarray(0, length))).to.throw();
  });
});
