import { expect } from 'chai';
import * as imported from '../../src/http/fields/json-schema.js';

describe('modules under test', () => {
  // tsx for `require` beside that for `import` would make two copies, of which each has its own registry and classes
  it('are the same whether imported at the start or later', async () => {
    expect((await import('../../src/http/fields/json-schema.js')).describe).to.equal(imported.describe);
  });
});
