import { businessDecider } from '../../../src/domain/business/decide.js';
import { businessSerde } from '../../../src/domain/business/serde.js';
import { businessCommand } from '../../support/business-commands.js';
import { businessEvent } from '../../support/business-events.js';
import { deciderProperties } from '../../support/decider-properties.js';

describe('a business, whatever happens to it', () => {
  deciderProperties({
    decider: businessDecider,
    serde: businessSerde,
    event: businessEvent,
    command: businessCommand,
  });
});
