import { eventually } from './eventually.js';
import type { ServiceProcess } from './service-process.js';

/** No promise of the service, only when to give up: a signer that must wait for a lease, and a machine that is busy. */
const LONG_ENOUGH_MS = 90_000;

/**
 * The checkpoint that a service hands out, once it satisfies: of so many events at least, where it says nothing else. It is told
 * to who asks.
 */
export const untilSigned = async (
  { address }: Pick<ServiceProcess, 'address'>,
  size: number,
  satisfies: (note: string) => boolean = () => true,
): Promise<string> => {
  const isWanted = (note: string): boolean => Number(note.split('\n')[1]) >= size && satisfies(note);
  // polls: a checkpoint is told to who asks
  const note = await eventually(
    async () => (await fetch(`${address}/tlog/checkpoint`)).text(),
    isWanted,
    LONG_ENOUGH_MS,
  );
  if (!isWanted(note)) throw new Error(`instead of a checkpoint of ${size} events there is still\n${note}`);
  return note;
};
