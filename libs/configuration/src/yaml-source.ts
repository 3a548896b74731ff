import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type YAMLError,
} from 'yaml';
import { CurtailError, configurationLimits, yamlFaults } from '#contracts';
import type { Place } from '#contracts/api';
import { readBlockYaml } from './block-yaml.js';
import type { Field } from './field.js';
import { readPlainYaml } from './plain-yaml.js';
import type { Problems } from './problems.js';
import { YamlFields } from './yaml-fields.js';

/**
 * Reads YAML, or JSON as a part of it, into fields with their places; undefined if there is a problem that hides the rest.
 * The text is untrusted: its size is checked before it is read, its depth while it is read (composing recurses), and
 * the content of its aliases is counted as it is unfolded.
 */
export function readYaml(text: string, problems: Problems): Field | undefined {
  const tooLarge = whyTooLarge(text);
  if (tooLarge === undefined)
    return readBlockYaml(text) ?? readPlainYaml(text) ?? readAnyYaml(text, problems);
  problems.error('', tooLarge, {});
  return undefined;
}

/** Same as `readYaml`, with all of YAML, for a text that is not too large. */
export function readAnyYaml(text: string, problems: Problems): Field | undefined {
  const composed = compose(text, problems);
  return composed && fieldIn(composed, problems);
}

export interface ComposedYaml {
  document: Document;
  placeOf(offset: number): Place;
}

/** The content of a composed document, as `readYaml` gives it. */
export function fieldIn({ document, placeOf }: ComposedYaml, problems: Problems): Field | undefined {
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    problems.error('', 'the configuration is empty; it needs `partitions`', { line: 1, column: 1 });
    return undefined;
  }
  const { contents } = document;
  if (!isMap(contents) && !isSeq(contents) && !isScalar(contents) && !isAlias(contents)) return undefined;
  return new YamlFields(document, placeOf, problems).read(contents);
}

/** The nodes of one YAML document, which may be empty; undefined if there is a problem. The limits are those of `readYaml`. */
export function composeYaml(text: string, problems: Problems): ComposedYaml | undefined {
  const tooLarge = whyTooLarge(text);
  if (tooLarge === undefined) return compose(text, problems);
  problems.error('', tooLarge, {});
  return undefined;
}

/** Why a text is not read at all, as the sentence of a problem; undefined: it is within the limits. */
export function whyTooLarge(text: string): string | undefined {
  const { bytes } = configurationLimits;
  // Every UTF-16 unit takes a byte or more, so that the length alone refuses the largest without encoding them.
  if (text.length > bytes || Buffer.byteLength(text) > bytes)
    return `a configuration has at most ${bytes} bytes; this one is larger`;
  return tooMuchIn(text);
}

function compose(text: string, problems: Problems): ComposedYaml | undefined {
  const lines = new LineCounter();
  const document = composeOne(text, lines, problems);
  if (document === undefined) return undefined;
  for (const { message, offset } of yamlFaults(text, [...document.errors, ...document.warnings])) {
    problems.error('', message, placeAt(lines, offset));
  }
  return problems.any ? undefined : { document, placeOf: (offset) => placeAt(lines, offset) };
}

/**
 * A text whose reading would take minutes, only to be refused for its values or its queues: both are known once it is read, and at least
 * as many lines and commas, or names, are in its text.
 */
function tooMuchIn(text: string): string | undefined {
  const { values, names } = configurationLimits;
  // Fewer bytes hold fewer of both.
  if (text.length < values) return undefined;
  let separators = 0;
  for (let i = 0; i < text.length && separators <= values; i++) {
    const unit = text.charCodeAt(i);
    if (unit === newLine || unit === comma) separators++;
  }
  if (separators > values)
    return `more than ${values} lines and commas; a configuration has at most ${values} values`;
  if (isOfProperties.test(text)) return undefined;
  const name = /(?:^[ \t-]*|[{,]\s*)["']?name["']?\s*:/gm;
  let found = 0;
  while (found <= names && name.exec(text) !== null) found++;
  if (found <= names) return undefined;
  return `more than ${names} names; a configuration has at most ${configurationLimits.queues} queues`;
}

const newLine = 10;
const comma = 44;
/** Each property of a capacity-scheduler.xml as JSON has a name; there are several of a queue. */
const isOfProperties = /["']?property["']?\s*:/;

function composeOne(text: string, lines: LineCounter, problems: Problems): Document | undefined {
  const parser = new Parser(lines.addNewLine);
  // Merge keys are unfolded and double keys are found by YamlFields: the library compares every key with every other one.
  const composer = new Composer({ version: '1.2', merge: false, uniqueKeys: false, prettyErrors: false });
  const stopped = stopAtFault(composer, configurationLimits.problems);
  const documents: Document[] = [];
  lines.addNewLine(0);
  const tokens = function* () {
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme)) {
        if (token.type === 'error') stopped.count();
        yield token;
      }
      if (parser.stack.length > configurationLimits.depth) {
        throw new YamlTooDeep(placeAt(lines, parser.offset));
      }
    }
    yield* parser.end();
  };
  try {
    for (const document of composer.compose(tokens(), true, text.length)) {
      documents.push(document as Document);
      if (documents.length > 1) {
        const place = placeAt(lines, document.range[0]);
        problems.error(
          '',
          'a configuration is one YAML document; remove the second one, which begins here',
          place,
        );
        return undefined;
      }
    }
  } catch (error) {
    if (error === stopped.because) {
      for (const { message, offset } of yamlFaults(text, stopped.faults))
        problems.error('', message, placeAt(lines, offset));
      return undefined;
    }
    if (!(error instanceof YamlTooDeep)) throw error;
    problems.error('', `more than ${configurationLimits.depth} levels of nesting; nest less`, error.place);
    return undefined;
  }
  return documents[0];
}

/**
 * Ends composing with the last fault that is listed: a text may have one at each character, and the library keeps all of them, each with a
 * stack trace. It has no such limit of its own; tests hold the names of its fields.
 */
function stopAtFault(composer: Composer, most: number) {
  const open = composer as unknown as {
    doc: Document | null;
    errors: YAMLError[];
    onError(...fault: unknown[]): void;
  };
  let found = 0;
  const stopped = {
    because: new YamlTooFaulty('too many faults'),
    faults: [] as YAMLError[],
    count: () => {
      if (++found < most) return;
      stopped.faults = [...(open.doc?.errors ?? []), ...open.errors];
      throw stopped.because;
    },
  };
  const report = open.onError;
  open.onError = (...fault) => {
    report(...fault);
    stopped.count();
  };
  return stopped;
}

class YamlTooFaulty extends CurtailError {
  readonly code = 'yaml-too-faulty';
}

class YamlTooDeep extends CurtailError {
  readonly code = 'yaml-too-deep';
  constructor(readonly place: Place) {
    super('too deep');
  }
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
