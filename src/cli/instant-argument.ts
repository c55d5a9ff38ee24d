import { InvalidArgumentError } from 'commander';
import { readInstant } from '../read/read-instant.js';

export const instantArgument = (text: string): Date => {
  const instant = readInstant(text);
  if (instant === undefined) throw new InvalidArgumentError('Give a time as in 2026-11-23T09:00:00Z.');
  return instant;
};
