import { InvalidArgumentError } from 'commander';
import type { Registry } from '../../entities/registry.js';
import type { Position, StreamName } from '../../event-sourcing/recorded-event.js';

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The names of the streams of entities, in a sentence: `business-<id> or document-<id>`. */
export const streamsIn = ({ entities }: Registry): string =>
  alternatives.format(entities.map(({ projection }) => `${projection.category}-<id>`));

export const streamArgument = (text: string): StreamName => {
  if (!/^[^-]+-./.test(text)) throw new InvalidArgumentError('A stream is named <category>-<id>.');
  return text as StreamName; // reason: just tested
};

/** Why nothing can be said of a stream. */
export const noStream = (stream: StreamName, registry: Registry): string =>
  `the log has no stream ${stream} (those of the service are named ${streamsIn(registry)})`;

export const positionArgument = (text: string): Position => {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('A position is a whole number, as an export shows it.');
  return BigInt(text);
};
