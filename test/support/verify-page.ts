import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { compileFunction } from 'node:vm';
import { createInflateRaw } from 'node:zlib';

type VerifyPack = (file: Blob, key: string) => Promise<{ readonly said: ReadonlyArray<string> }>;

/** As browsers have it: unlike that of Node 20, it refuses bytes behind the end of the stream. */
class StrictInflate {
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
  constructor() {
    const inflate = createInflateRaw();
    let given = 0;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        given += piece.length;
        controller.enqueue(piece);
      },
    });
    const ending = new TransformStream({
      flush: () => {
        if (inflate.bytesWritten !== given) throw new TypeError('there is more behind the end of the stream');
      },
    });
    this.writable = counting.writable;
    this.readable = counting.readable.pipeThrough(Duplex.toWeb(inflate)).pipeThrough(ending);
  }
}

const element = { addEventListener: () => undefined, replaceChildren: () => undefined };
const document = { ...element, getElementById: () => element };

const script = (): string => {
  const [, text] = /<script>([^]*)<\/script>/.exec(readFileSync('verifiers/verify.html', 'utf8')) ?? [];
  if (text === undefined) throw new Error('verify.html has no script');
  return text;
};

type Load = (document: object, inflate: typeof StrictInflate) => { verifyPack: VerifyPack; Fault: new () => Error };

/** What a verifier says of a pack. */
type Verdict = { readonly verified: boolean; readonly said: string };

/** The script of verify.html in this process, without a browser. It throws what the page would not call a fault of the pack. */
export const loadVerifyPage = (): ((pack: Buffer, key: string) => Promise<Verdict>) => {
  const text = `${script()}\nreturn { verifyPack, Fault };`;
  const load = compileFunction(text, ['document', 'DecompressionStream']) as Load; // reason: the names are those in the script
  const { verifyPack, Fault } = load(document, StrictInflate);
  return async (pack, key) => {
    try {
      const { said } = await verifyPack(new Blob([new Uint8Array(pack)]), key);
      return { verified: true, said: said.join('\n') };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { verified: false, said: error.message };
    }
  };
};
