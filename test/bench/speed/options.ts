import { readOptions } from '../read-options.js';

/** What a run that compares the service with its limits can be told. */
type SpeedOptions = {
  /** Part of the names of the requests that are measured; empty: all. */
  readonly only: string;
  /** Of each measurement. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many there are before the first measurement. */
  readonly businesses: number;
  readonly json: boolean;
};

/** Reads the options of this process. */
export const readSpeedOptions = (): SpeedOptions => {
  const values = readOptions({
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    businesses: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  });
  const { only, seconds, rounds, businesses, json } = values;
  return { only, json, seconds: Number(seconds), rounds: Number(rounds), businesses: Number(businesses) };
};
