import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { parseLine, renderLine, renderLineWithoutData } from '../../../src/event-sourcing/whole-log/log-line.js';
import { stored } from '../../support/recorded.js';

const event: StoredEvent = {
  ...stored({ type: 'BusinessCreated', data: { name: 'Änne "&" \\ Söhne 😀', tags: ['a,b', '}'] } }),
  position: 12345678901234567n,
};

const lineOf = (given: StoredEvent): string => {
  const line = renderLine(given);
  if (E.isLeft(line)) throw new Error(line.left);
  return line.right;
};

describe('a line of an export', () => {
  it('holds the event as a JSON object with whole numbers as text', () => {
    const { position, stream, revision, id, type, data, metadata } = JSON.parse(lineOf(event)) as Record<
      string,
      unknown
    >;
    expect({ position, stream, revision, id, type, data, metadata }).to.deep.equal({
      position: '12345678901234567',
      stream: 'business-b1',
      revision: '0',
      id: event.id,
      type: 'BusinessCreated',
      data: JSON.parse(event.data) as unknown,
      metadata: JSON.parse(event.metadata) as unknown,
    });
  });

  it('gives back the stored texts byte for byte, however they are spelled', () => {
    const odd = { ...event, data: '{ "b" : 1.0e2, "a":"\\u0041,}", "c":[ {"d":[]} ] }', metadata: '{"z":1,"a":-0}' };
    expect(parseLine(lineOf(odd))).to.deep.equal(E.right(odd));
    expect(parseLine(lineOf(event))).to.deep.equal(E.right(event));
  });

  it('is read whatever the order of its members and the space around them', () => {
    const spaced = `{ "metadata" : {"a":[1,2]} , "data":null,"type":"T","id":"i","revision":"7","stream":"s-1","position":"9" }`;
    expect(parseLine(spaced)).to.deep.equal(
      E.right({ id: 'i', type: 'T', stream: 's-1', data: 'null', metadata: '{"a":[1,2]}', revision: 7n, position: 9n }),
    );
  });

  it('is refused for an event whose texts are not one line of JSON', () => {
    expect(renderLine({ ...event, data: '{\n}' })).to.deep.equal(E.left('data is not one line of JSON'));
    expect(renderLine({ ...event, metadata: 'x' })).to.deep.equal(E.left('metadata is not one line of JSON'));
  });

  it('without data has no reason either', () => {
    const line = renderLineWithoutData(stored({ type: 'BusinessDeleted', data: { $reason: 'bankrupt' } }));
    expect(E.isRight(line) && line.right)
      .to.include('"BusinessDeleted"')
      .and.not.match(/reason|bankrupt/);
  });

  it('without data has neither data nor salt, and cannot be read as an event again', () => {
    const line = renderLineWithoutData(event);
    if (E.isLeft(line)) throw new Error(line.left);
    const { metadata, ...rest } = JSON.parse(line.right) as { metadata: Record<string, unknown> };
    expect(rest).to.have.all.keys('position', 'stream', 'revision', 'id', 'type');
    const { salt: _salt, ...kept } = JSON.parse(event.metadata) as Record<string, unknown>;
    expect(metadata).to.deep.equal(kept);
    expect(parseLine(line.right)).to.deep.equal(
      E.left('has no data: an export without data can be verified, but not be imported'),
    );
  });

  for (const [what, line] of Object.entries({
    'no JSON': '{"position":"1"',
    'no object': '[1]',
    'another object': '{"position":1}',
    'a revision that is no number': lineOf(event).replace('"revision":"0"', '"revision":"first"'),
    'a stream without a category': lineOf(event).replace('business-b1', 'business'),
    'no metadata': '{"position":"1","stream":"s-1","revision":"0","id":"i","type":"T","data":{}}',
  }))
    it(`is refused when it is ${what}`, () => {
      expect(E.isLeft(parseLine(line))).to.equal(true);
    });
});
