import { expect } from 'chai';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import { eventIdOf, isKeyed, MAX_EVENTS_PER_COMMAND } from '../../../src/event-sourcing/command/command-id.js';

describe('the ids of a command', () => {
  it('give each of its events an id that is the same every time', () => {
    const commandId = '01890000-0000-7000-8000-0123456789ab';
    expect([0, 1, 255].map((index) => eventIdOf(commandId, index))).to.deep.equal([
      '01890000-0000-7000-8000-012345678900',
      '01890000-0000-7000-8000-012345678901',
      '01890000-0000-7000-8000-0123456789ff',
    ]);
  });

  it('end where they would repeat', () => {
    expect(() => eventIdOf(uuidv7(), MAX_EVENTS_PER_COMMAND)).to.throw(RangeError);
  });

  it('tell one that came from an idempotency key from one that we minted', () => {
    expect([isKeyed(uuidv5('a key', uuidv5.URL)), isKeyed(uuidv7())]).to.deep.equal([true, false]);
  });
});
