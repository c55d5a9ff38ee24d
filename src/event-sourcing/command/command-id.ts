/**
 * Ids of a command's events are a pure function of (command id, index): the command id with the index in its last
 * byte. A repeated append therefore carries the same ids, and the store recognises it.
 */
export const MAX_EVENTS_PER_COMMAND = 256;

export const eventIdOf = (commandId: string, index: number): string => {
  if (index >= MAX_EVENTS_PER_COMMAND) throw new RangeError(`a command has at most ${MAX_EVENTS_PER_COMMAND} events`);
  return commandId.slice(0, -2) + index.toString(16).padStart(2, '0');
};

/** A command id that came from an `Idempotency-Key` is a UUIDv5; one that we minted is a UUIDv7. */
export const isKeyed = (commandId: string): boolean => commandId[14] === '5';
