import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlOf } from '../../../src/http/openapi/yaml.js';

const VERSIONS = ['1.1', '1.2'] as const;

describe('a value of JSON as YAML', () => {
  it('is written in blocks, and quoted where another reading is possible', () => {
    const value = {
      a: [{ b: 'plain text', c: null }, [1, 'x: y']],
      200: {},
      no: 'Yes',
      d: [],
      e: '1.0',
      f: 'two\nlines',
    };
    expect(yamlOf(value)).to.equal(
      [
        '"200": {}',
        'a:',
        '  - b: plain text',
        '    c: null',
        '  - - 1',
        '    - "x: y"',
        '"no": "Yes"',
        'd: []',
        'e: "1.0"',
        'f: "two\\nlines"',
        '',
      ].join('\n'),
    );
  });

  it('is read as the same value by either version of YAML', () => {
    const words = [
      'true',
      'NO',
      'off',
      'y',
      'null',
      '~',
      '1e3',
      'e0',
      'E-12',
      '0x1',
      '- a',
      'a: b',
      'a #b',
      '2026-01-01',
      ' a',
      'a ',
      '',
    ];
    const text = fc.oneof(fc.constantFrom(...words), fc.string(), fc.string({ unit: 'grapheme' }));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('tree'),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        for (const version of VERSIONS) expect(parse(yamlOf(value), { version })).to.deep.equal(value);
      }),
    );
  });
});
