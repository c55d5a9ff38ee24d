import { InvalidArgumentError } from 'commander';
import type { Position, StreamName } from '../../event-sourcing/recorded-event.js';

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
