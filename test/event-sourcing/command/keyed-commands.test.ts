import { expect } from 'chai';
import { v5 as uuidv5 } from 'uuid';
import { eventIdOf } from '../../../src/event-sourcing/command/command-id.js';
import { KeyedCommands } from '../../../src/event-sourcing/command/keyed-commands.js';

const keyed = (name: string): string => eventIdOf(uuidv5(name, uuidv5.URL), 0);

const remembering = (count: number): KeyedCommands => {
  const commands = new KeyedCommands();
  for (let index = 0; index < count; index++) commands.add(keyed(`command ${index}`), BigInt(index));
  return commands;
};

describe('keyed commands', () => {
  it('know where a command is, and that a stranger is nowhere', () => {
    const commands = remembering(1024);
    expect(commands.find(keyed('command 0'))).to.deep.equal({ _tag: 'Known', revision: 0n });
    expect(commands.find(keyed('command 1023'))).to.deep.equal({ _tag: 'Known', revision: 1023n });
    expect(commands.find(keyed('stranger'))).to.deep.equal({ _tag: 'Unknown' });
  });

  it('know whether there are any, and whether these are all', () => {
    const stated = (commands: KeyedCommands) => [commands.isAny, commands.isComplete];
    expect([stated(remembering(0)), stated(remembering(1))]).to.deep.equal([
      [false, true],
      [true, true],
    ]);
    expect(stated(new KeyedCommands(false))).to.deep.equal([true, false]);
  });

  it('send the asker of every command that was forgotten to the log below what is remembered', () => {
    const commands = remembering(10_000);
    const forgotten = Array.from({ length: 9000 }, (_, index) => commands.find(keyed(`command ${index}`)));
    expect(new Set(forgotten.map(({ _tag }) => _tag))).to.deep.equal(new Set(['PerhapsBefore']));
    expect(forgotten[0]).to.deep.equal({ _tag: 'PerhapsBefore', before: 9216n });
    expect(commands.find(keyed('command 9999'))).to.deep.equal({ _tag: 'Known', revision: 9999n });
  });

  it('tell strangers from the forgotten, nearly always', () => {
    const commands = remembering(100_000);
    const strangers = Array.from({ length: 10_000 }, (_, index) => commands.find(keyed(`stranger ${index}`)));
    const mistaken = strangers.filter(({ _tag }) => _tag !== 'Unknown').length;
    expect(mistaken).to.be.lessThan(300);
  });
});
