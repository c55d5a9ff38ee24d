/** The index of an event within its command takes one byte of the event's id. */
export const MAX_EVENTS_PER_COMMAND = 256;

/** The command id with the index in its last byte: a repeated append has the same ids, so the store recognises it. */
export const eventIdOf = (commandId: string, index: number): string => {
  if (index >= MAX_EVENTS_PER_COMMAND) throw new RangeError(`a command has at most ${MAX_EVENTS_PER_COMMAND} events`);
  return commandId.slice(0, -2) + index.toString(16).padStart(2, '0');
};

/** A command id that came from an `Idempotency-Key` is a UUIDv5; one that we minted is a UUIDv7. */
export const isKeyed = (commandId: string): boolean => commandId[14] === '5';
