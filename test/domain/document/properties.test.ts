import { documentDecider } from '../../../src/domain/document/decide.js';
import { documentSerde } from '../../../src/domain/document/serde.js';
import { deciderProperties } from '../../support/decider-properties.js';
import { documentCommand } from '../../support/document-commands.js';
import { documentEvent } from '../../support/document-events.js';

describe('a document, whatever happens to it', () => {
  deciderProperties({
    decider: documentDecider,
    serde: documentSerde,
    event: documentEvent,
    command: documentCommand,
  });
});
