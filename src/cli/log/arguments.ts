import { InvalidArgumentError } from 'commander';
import type { Registry } from '../../entities/registry.js';
import type { Position, StreamName } from '../../event-sourcing/recorded-event.js';

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** The categories of entities, in a sentence: `business or document`. */
export const categoriesIn = ({ entities }: Registry): string =>
  alternatives.format(entities.map(({ projection }) => projection.category));

/** The names of their streams, in a sentence: `business-<id> or document-<id>`. */
export const streamsIn = ({ entities }: Registry): string =>
  alternatives.format(entities.map(({ projection }) => `${projection.category}-<id>`));

export const streamArgument = (text: string): StreamName => {
  if (!/^[^-]+-./.test(text)) throw new InvalidArgumentError('A stream is named <category>-<id>.');
  return text as StreamName; // reason: just tested
};

export const categoryArgument = (text: string): string => {
  if (!/^[^-]+$/.test(text)) throw new InvalidArgumentError('A category is one word without a dash.');
  return text;
};

export const positionArgument = (text: string): Position => {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('A position is a whole number, as an export shows it.');
  return BigInt(text);
};
