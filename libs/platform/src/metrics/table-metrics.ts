import { Counter, Gauge, type Registry } from 'prom-client';

/** Tables that grow with time. */
export function tableMetrics(registers: Registry[]) {
  const trimmed = new Counter({
    name: 'curtail_trimmed_rows_total',
    help: 'Expired rows that were deleted, by table.',
    labelNames: ['table'],
    registers,
  });
  const sizes = new Gauge({
    name: 'curtail_table_bytes',
    help: 'Size of tables that grow with time, indexes and partitions included, by table.',
    labelNames: ['table'],
    registers,
  });
  return {
    rowsTrimmed(table: string, rows: number): void {
      trimmed.inc({ table }, rows);
    },
    isLarge(table: string, bytes: number): void {
      sizes.set({ table }, bytes);
    },
  };
}
