import { loadAverage, table } from './measure.js';

/** One measured thing. A target that was missed is reported, and fails nothing: the machine may have been busy. */
export interface Row {
  what: string;
  measured: string;
  /** Measured beside it in the same run: the floor, or what a row is compared with. */
  beside?: string;
  ratio?: string;
  target?: string;
  /** Undefined without a target. */
  met?: boolean;
}

/** Prints the rows of one subject, with how busy the machine was at their end. */
export function report(title: string, rows: Row[]): void {
  const cells = rows.map(({ what, measured, beside = '', ratio = '', target = '', met }) => [
    what,
    measured,
    beside,
    ratio,
    target,
    met === undefined ? '' : met ? 'met' : 'missed',
  ]);
  console.log(`\n${title} (load average ${loadAverage()})`);
  const headings = ['what', 'measured', 'beside', 'ratio', 'target', 'verdict'];
  const filled = (_: unknown, column: number) => cells.some((row) => row[column] !== '');
  console.log(
    table(
      headings.filter(filled),
      cells.map((row) => row.filter(filled)),
    ),
  );
}

export function ratio(measured: number, beside: number): string {
  return (measured / beside).toFixed(1);
}

export function count(number: number): string {
  return number.toLocaleString('en');
}
