import { either as E, json as J } from 'fp-ts';
import * as t from 'io-ts';
import { canonicalJson, type JsonObject } from '../canonical-json.js';
import type { StoredEvent, StreamName } from '../recorded-event.js';
import { memberTexts } from './member-texts.js';

const opening = ({ position, stream, revision, id, type }: StoredEvent): string => {
  const places = { position: position.toString(), stream, revision: revision.toString(), id, type };
  return JSON.stringify(places).slice(0, -1);
};

const isOneLineOfJson = (text: string): boolean => !/[\r\n]/.test(text) && E.isRight(J.parse(text));

/**
 * An event as one line of JSON (without its end): `position` and `revision` as text, `data` and `metadata` as the
 * stored texts themselves. Left: why this event has no such line.
 */
export const renderLine = (event: StoredEvent): E.Either<string, string> => {
  const { data, metadata } = event;
  if (!isOneLineOfJson(data)) return E.left('data is not one line of JSON');
  if (!isOneLineOfJson(metadata)) return E.left('metadata is not one line of JSON');
  return E.right(`${opening(event)},"data":${data},"metadata":${metadata}}`);
};

/** As `renderLine`, for readers who may not see the data: without it, and without the salt, with which it could be guessed. */
export const renderLineWithoutData = (event: StoredEvent): E.Either<string, string> =>
  E.tryCatch(
    () => {
      // reason: metadata is an object in every log of ours; of anything else only `{}` remains
      const { salt: _salt, ...metadata } = JSON.parse(event.metadata) as JsonObject;
      return `${opening(event)},"metadata":${canonicalJson(metadata)}}`;
    },
    () => 'metadata is not JSON',
  );

const decimal = /^\d{1,19}$/;

const Line = t.type({ position: t.string, stream: t.string, revision: t.string, id: t.string, type: t.string });

const isStreamName = (name: string): name is StreamName => /^[^-]+-./.test(name);

/** The event of a line that `renderLine` made, its texts byte for byte. Left: what is wrong with the line. */
export const parseLine = (line: string): E.Either<string, StoredEvent> => {
  const members = memberTexts(line);
  if (members === undefined) return E.left('is not a JSON object');
  const decoded = Line.decode(JSON.parse(line));
  if (E.isLeft(decoded)) return E.left('is not an event: position, stream, revision, id and type are texts');
  const { position, stream, revision, id, type } = decoded.right;
  if (!decimal.test(position) || !decimal.test(revision)) return E.left('position and revision must be whole numbers');
  if (!isStreamName(stream)) return E.left('has a stream that is not named <category>-<id>');
  const metadata = members.get('metadata');
  if (metadata === undefined) return E.left('has no metadata');
  const data = members.get('data');
  if (data === undefined) return E.left('has no data: an export without data can be verified, but not be imported');
  return E.right({ id, type, data, metadata, stream, revision: BigInt(revision), position: BigInt(position) });
};
