import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { nonce } from '../../parts/nonce.js';

/** A fault of the text, or a warning. Lines and columns count from 1; without a line it concerns the whole text. */
export interface TextProblem {
  line?: number | undefined;
  column?: number | undefined;
  message: string;
  severity: 'error' | 'warning';
}

interface Props {
  /** Its name for screen readers. */
  name: string;
  /** The text at first. */
  initial: string;
  problems: readonly TextProblem[];
  onChange: (text: string) => void;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--mantine-color-anchor)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '13px', border: '1px solid var(--mantine-color-default-border)', maxHeight: '60vh' },
  '&.cm-focused': { outline: '2px solid var(--mantine-color-anchor)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    background: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip': { background: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
});

/** An editor of a configuration, with its problems marked in place. Tab leaves it, so that the keyboard alone is enough. */
export default function Editor({ name, initial, problems, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  // The text belongs to the editor: `initial` is read once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const made = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: initial,
        extensions: [
          // Characters that turn the direction of text are shown as dots.
          highlightSpecialChars(),
          ...[lineNumbers(), history(), yaml(), lintGutter(), look, syntaxHighlighting(colours)],
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (shown)
      shown.dispatch(
        setDiagnostics(
          shown.state,
          problems.map((problem) => placed(problem, shown.state)),
        ),
      );
  }, [problems]);
  return <div ref={place} />;
}

/** From its column to the end of the line; the text may have changed since the server read it. */
function placed({ line = 1, column = 1, message, severity }: TextProblem, { doc }: EditorState): Diagnostic {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const start = Math.min(to, from + column - 1);
  return { from: start, to: Math.max(start, to), severity, message };
}
