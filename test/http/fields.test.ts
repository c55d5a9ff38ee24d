import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import { CreateBusinessBody, UpdateBusinessBody } from '../../src/http/business/body.js';
import { CreateDocumentBody, UpdateDocumentBody, UpdateDocumentForm } from '../../src/http/document/body.js';
import { decodeRequest } from '../../src/http/request/decode.js';

const accepts = (codec: t.Decoder<unknown, unknown>, input: unknown, expected: unknown): void => {
  expect(decodeRequest(codec)(input)).to.deep.equal(E.right(expected));
};

const faultPaths = (codec: t.Decoder<unknown, unknown>, input: unknown): ReadonlyArray<string> => {
  const result = decodeRequest(codec)(input);
  return E.isLeft(result) ? result.left.errors.map(({ path }) => path) : [];
};

const refuses = (codec: t.Decoder<unknown, unknown>, field: string, value: unknown): void => {
  expect(faultPaths(codec, { name: 'n', [field]: value }), JSON.stringify(value)).to.deep.equal([field]);
};

const keeps = (codec: t.Decoder<unknown, unknown>, field: string, value: unknown, as = value): void => {
  accepts(codec, { [field]: value }, { [field]: as });
};

describe('the body of a business', () => {
  it('takes the printed sample as it is', () => {
    const sample = {
      name: 'Acme',
      displayName: 'Acme Inc.',
      businessType: 'Corporation',
      dba: 'Acme',
      ein: '12-3456789',
      phone: '+1 555 0100',
      website: 'https://acme.example',
      parent: '5d1ca9f5a7e7c40017bb8a2b',
    };
    accepts(CreateBusinessBody, sample, sample);
  });

  it('drops unknown keys, also those that could reach a prototype', () => {
    const body: unknown = JSON.parse('{"name":"n","_id":"1","owners":[1],"__proto__":{"dba":"x"},"constructor":{}}');
    accepts(CreateBusinessBody, body, { name: 'n' });
    expect(({} as Record<string, unknown>)['dba']).to.equal(undefined);
  });

  it('does not read inherited keys', () => {
    accepts(UpdateBusinessBody, Object.create({ name: 'inherited' }), {});
  });

  it('tells all faults at once, what is expected, and no value', () => {
    const body = { name: '', phone: 5, netWorth: '7', website: 'javascript:alert(1)', zip: true };
    expect(decodeRequest(CreateBusinessBody)(body)).to.deep.equal(
      E.left({
        _tag: 'RequestInvalid',
        errors: [
          { path: 'name', message: 'expected non-blank text of at most 255 characters without control characters' },
          { path: 'phone', message: 'expected text of at most 255 characters without control characters, or null' },
          { path: 'website', message: 'expected an http(s) URL or a host name of at most 1000 characters, or null' },
          { path: 'netWorth', message: 'expected a finite number, or null' },
          {
            path: 'zip',
            message: 'expected text of at most 255 characters without control characters, a number, or null',
          },
        ],
      }),
    );
  });

  it('requires a name on create and lets no update unset it', () => {
    expect(decodeRequest(CreateBusinessBody)({})).to.deep.equal(
      E.left({ _tag: 'RequestInvalid', errors: [{ path: 'name', message: 'is required' }] }),
    );
    accepts(UpdateBusinessBody, {}, {});
    for (const name of [null, '', ' \u00a0\u3000', 7]) refuses(UpdateBusinessBody, 'name', name);
  });

  it('takes no name, and no type, that nobody sees', () => {
    const unseen = {
      'a zero width space': '\u200b',
      'a byte order mark': '\ufeff',
      'a soft hyphen': '\u00ad',
      'marks of direction': '\u200e\u202e\u2066',
      'a combining mark on nothing': '\u0301',
      'a variation selector': '\ufe0f',
      'a blank of braille': '\u2800',
      'a null notehead': '\u{1d159}',
      'fillers of Hangul': '\u115f\u1160\u3164\uffa0',
      'tag characters': '\u{e0041}\u{e007f}',
      'C1 control characters': '\u007f\u0085',
      'several of them': ' \u200b\u00a0\u0301\u2800',
    };
    for (const text of Object.values(unseen)) {
      refuses(UpdateBusinessBody, 'name', text);
      refuses(UpdateBusinessBody, 'businessType', text);
    }
    for (const text of ['x\u200b', '\u202ex', 'e\u0301', '👩\u200d🚀', '❤\ufe0f', '\u2801', '-', '한', '\ue000'])
      accepts(UpdateBusinessBody, { name: text }, { name: text });
  });

  it('refuses what is no object', () => {
    for (const body of [null, [], 'text', 7, undefined])
      expect(faultPaths(CreateBusinessBody, body)).to.deep.equal(['']);
  });

  it('reads null and the empty text as unset', () => {
    for (const field of ['displayName', 'businessType', 'dba', 'email', 'phone', 'website', 'ein', 'parent', 'zip'])
      for (const value of [null, '']) keeps(UpdateBusinessBody, field, value, null);
  });

  it('lets displayName beat displayname, which counts only alone', () => {
    accepts(UpdateBusinessBody, { displayname: 'a' }, { displayName: 'a' });
    accepts(UpdateBusinessBody, { displayName: null, displayname: 'a' }, { displayName: null });
    accepts(UpdateBusinessBody, { displayName: 'b', displayname: 7 }, { displayName: 'b' });
    expect(faultPaths(UpdateBusinessBody, { displayname: 7 })).to.deep.equal(['displayname']);
  });

  it('counts text in code points', () => {
    keeps(UpdateBusinessBody, 'phone', '😀'.repeat(255));
    refuses(UpdateBusinessBody, 'phone', '😀'.repeat(256));
    refuses(UpdateBusinessBody, 'phone', 'x'.repeat(256));
    keeps(UpdateBusinessBody, 'line1', 'x'.repeat(1000));
    refuses(UpdateBusinessBody, 'line2', 'x'.repeat(1001));
    keeps(UpdateBusinessBody, 'businessType', '😀'.repeat(64));
    refuses(UpdateBusinessBody, 'businessType', 'x'.repeat(65));
    refuses(UpdateBusinessBody, 'businessType', '  ');
    refuses(UpdateBusinessBody, 'website', `http://a.example/${'x'.repeat(1000)}`);
  });

  it('refuses control characters and lone surrogates, and keeps all other Unicode', () => {
    for (let code = 0; code < 0x20; code += 1) refuses(UpdateBusinessBody, 'dba', `a${String.fromCharCode(code)}`);
    for (const lone of ['\ud800', 'a\udfff', '\udc00\ud800']) refuses(UpdateBusinessBody, 'dba', lone);
    for (const kept of ['\u007f', '\u0085', '\u2028', 'e\u0301', '\u202e', '\ufeff', '\ufffe', '👩‍👩‍👧', ' x '])
      keeps(UpdateBusinessBody, 'dba', kept);
  });

  it('takes numbers of an address as their text', () => {
    keeps(UpdateBusinessBody, 'zip', 2134, '2134');
    keeps(UpdateBusinessBody, 'line1', -0, '0');
    refuses(UpdateBusinessBody, 'zip', Infinity);
    refuses(UpdateBusinessBody, 'zip', ['1']);
  });

  it('takes finite amounts, and 0 for -0', () => {
    for (const value of [0, -1.5, 1e300, null]) keeps(UpdateBusinessBody, 'revenue', value);
    const negative = decodeRequest(UpdateBusinessBody)({ netWorth: -0 });
    expect(E.isRight(negative) && Object.is(negative.right.netWorth, 0)).to.equal(true);
    for (const value of ['', '1', Infinity, NaN, true, []]) refuses(UpdateBusinessBody, 'netWorth', value);
  });

  it('takes web addresses as people type them, and no other scheme', () => {
    for (const site of [
      'http://a.example',
      'HTTPS://A.example/p?q#f',
      'https://user@a.example:8443/',
      'http://[::1]:80/',
      'http://größe.example/ü',
      'acme.com',
      'acme.com.',
      'www.größe.example:8080',
      '127.0.0.1:80',
      'localhost',
    ])
      keeps(UpdateBusinessBody, 'website', site);
    for (const site of [
      'javascript:alert(1)',
      'JAVASCRIPT:1',
      'data:text/html,x',
      'ftp://a.example',
      'mailto:a@b.example',
      'localhost:80',
      'javascript:80',
      'http:a.example',
      'http://',
      'http:///x',
      'http://a b',
      '//a.example',
      'a.example:99999',
      'a.example/path',
      'a@b.example',
      'a..b',
      '-a.example',
      ' ',
      ' a.example',
      'http://a.example\\@b',
      7,
    ])
      refuses(UpdateBusinessBody, 'website', site);
  });
});

describe('the body of a document', () => {
  it('takes the printed sample as it is', () => {
    const sample = { name: 'Lease', description: 'signed', type: 'Business' };
    accepts(CreateDocumentBody, sample, sample);
  });

  it('takes the kinds of the family, and null or an empty text for the default', () => {
    keeps(UpdateDocumentBody, 'type', 'Campaign');
    keeps(UpdateDocumentBody, 'type', '', null);
    keeps(UpdateDocumentBody, 'entityType', null);
    for (const kind of ['business', 'toString', 'Invoice', 7, '__proto__']) refuses(UpdateDocumentBody, 'type', kind);
  });

  it('lets a description have lines, up to 10,000 characters', () => {
    keeps(UpdateDocumentBody, 'description', `a\tb\r\nc${'😀'.repeat(9994)}`);
    refuses(UpdateDocumentBody, 'description', 'x'.repeat(10_001));
    refuses(UpdateDocumentBody, 'description', 'a\u0000');
    refuses(UpdateDocumentBody, 'description', 'a\u000b');
    refuses(UpdateDocumentBody, 'name', 'a\nb');
  });

  it('trims tags, drops empty ones and repetitions, and only then counts them', () => {
    keeps(UpdateDocumentBody, 'tags', [' b ', '', 'a', 'b', ' ', '\u200b', '\u2800\u0301'], ['b', 'a']);
    keeps(UpdateDocumentBody, 'tags', null, []);
    const many = Array.from({ length: 50 }, (_, index) => `tag ${index}`);
    keeps(UpdateDocumentBody, 'tags', [...many, ...many], many);
    refuses(UpdateDocumentBody, 'tags', [...many, 'one more']);
    keeps(UpdateDocumentBody, 'tags', [` ${'😀'.repeat(64)} `], ['😀'.repeat(64)]);
    expect(faultPaths(UpdateDocumentBody, { tags: ['a', 'x'.repeat(65), 7, 'b\u0000c'] })).to.deep.equal([
      'tags.1',
      'tags.2',
      'tags.3',
    ]);
    for (const value of ['a,b', '', {}, 7]) refuses(UpdateDocumentBody, 'tags', value);
  });

  it('names no more than fifty wrong tags', () => {
    expect(faultPaths(UpdateDocumentBody, { tags: Array.from({ length: 60 }, () => 7) })).to.have.length(50);
  });
});

describe('tags of form data', () => {
  it('are a comma-separated text when they are one value', () => {
    keeps(UpdateDocumentForm, 'tags', 'a, b,,a', ['a', 'b']);
    keeps(UpdateDocumentForm, 'tags', '', []);
    keeps(UpdateDocumentForm, 'tags', '[a,b]', ['[a', 'b]']);
  });

  it('are a JSON array when the one value is one', () => {
    keeps(UpdateDocumentForm, 'tags', '["a,b", "c"]', ['a,b', 'c']);
    keeps(UpdateDocumentForm, 'tags', '[]', []);
    expect(faultPaths(UpdateDocumentForm, { tags: '["a", 7]' })).to.deep.equal(['tags.1']);
  });

  it('are taken as they are when they are repeated or indexed', () => {
    keeps(UpdateDocumentForm, 'tags', ['a,b', '["c"]'], ['a,b', '["c"]']);
    keeps(UpdateDocumentForm, 'tags', ['a,b']);
    refuses(UpdateDocumentForm, 'tags', { a: 'b' });
  });

  it('take no time for the holes of an array', () => {
    const sparse: Array<string> = [];
    sparse[4_294_967_294] = 'a';
    keeps(UpdateDocumentForm, 'tags', sparse, ['a']);
  });
});
