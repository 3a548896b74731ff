import { Inject, Injectable } from '@nestjs/common';
import type { EvictionGate, EvictionRequest, Withheld } from '#clusters';
import { BrokenInvariant } from '#contracts';
import { extended, type ModeSettings } from '#enforcement';
import { answersStream, controlStream, operatorStream, type Tx } from '#event-store';
import { whyHeld } from '#holds';
import type { OpenRun } from '#runs';
import { type GateRow, holdStill, readGate } from './run-statements.js';
import { OpenRuns } from './runs/open-runs.js';
import type { CommandVersions } from './runs/run-log.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';

/** An open order whose request is about to be made. */
export interface GatedOrder {
  run: OpenRun;
  evictionId: string;
  victimQueue: string;
  /** The allocations of its unit, its own included: an extension of one holds all of them back. */
  together: readonly string[];
  /** RFC 3339 */
  openedAt: string | undefined;
  /** Under which the run was opened. */
  fencingToken: number;
  /** The commands and answers that the run knows. */
  commands: CommandVersions;
  /** The number of events in the stream of the run when this process recorded the order. */
  version: number;
}

/** This process no longer holds the run, and must not touch it. */
export const holdLost = 'hold-lost';

/**
 * A process that freezes in a gated transaction delays operators who set a stop: the server ends its connection after
 * this long, and nothing was requested.
 */
const stalledMs = 500;

/**
 * The last check before an eviction request, in the transaction that makes it. Between the check of a victim and this
 * moment the process may have been frozen for any time: another one may have taken the run over, a stop may have been
 * set, the order may have been settled. The gate checks the hold of this process, the lock of the run, that no event of
 * the run was recorded after its orders, that no operator has sent it a command since, nor rejected the whole change, that no owner has
 * extended the time of the victim, or of another one of its unit, since, the mode, the kill switches, and the freezes.
 *
 * It holds until the commit: the row of the run is locked, so no other process can take the run over; and the streams
 * of operators and owners are locked in shared mode, so a stop, a mode, a cancel or an extension is recorded either before
 * the check or after the request.
 */
@Injectable()
export class EvictionGates {
  /** By eviction id: requests that are being made. */
  private readonly orders = new Map<string, GatedOrder>();

  constructor(
    private readonly openRuns: OpenRuns,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
  ) {}

  /** Calls `send` with the gate for this order. The gate is the same for all orders, so a driver can check many at once. */
  async through<T>(order: GatedOrder, send: (gate: EvictionGate) => Promise<T>): Promise<T> {
    this.orders.set(order.evictionId, order);
    try {
      return await send(this.gate);
    } finally {
      this.orders.delete(order.evictionId);
    }
  }

  private readonly gate: EvictionGate = async (tx, requests) => {
    const orders = requests.map((request) => this.orderOf(request));
    const [, rows] = await Promise.all([
      this.holdStill(tx, orders),
      readGate(tx, orders, this.openRuns.owner),
    ]);
    return new Map(
      rows.flatMap((row, i): [string, Withheld][] => {
        const why = whyWithheld(row, orders[i]!, this.settings);
        return why ? [[orders[i]!.evictionId, why]] : [];
      }),
    );
  };

  private orderOf({ evictionId }: EvictionRequest): GatedOrder {
    const order = this.orders.get(evictionId);
    if (!order) throw new BrokenInvariant(`the eviction ${evictionId} was not sent through the gate`);
    return order;
  }

  /** A statement of its own, so that the next one reads the state after these locks. */
  private holdStill(tx: Tx, orders: readonly GatedOrder[]): Promise<unknown> {
    const streams = orders.flatMap(({ run }) => [
      controlStream(run.partition),
      operatorStream(run.enforcement),
      answersStream(run.enforcement),
    ]);
    return holdStill(tx, new Set(streams), stalledMs);
  }
}

function whyWithheld(row: GateRow, order: GatedOrder, settings: ModeSettings): Withheld | undefined {
  const { enforcement } = order.run;
  if (!row.held) {
    return {
      code: holdLost,
      message: `Another process carries out run ${enforcement}, or may take it over.`,
    };
  }
  if (row.token === null || Number(row.token) !== order.fencingToken) {
    return { code: 'fenced', message: `Run ${enforcement} has lost its lock.` };
  }
  if (row.version !== order.version) {
    return {
      code: 'order-settled',
      message: `An event of run ${enforcement} was recorded after order ${order.evictionId}.`,
    };
  }
  if (row.operator_version !== order.commands.operator) {
    return { code: 'operator', message: `An operator command for run ${enforcement} arrived.` };
  }
  const allocation = row.extended.find((id) => order.together.includes(id));
  if (allocation !== undefined) {
    return { code: extended, message: `The owner of ${allocation} extended its time.` };
  }
  const openedMs = order.openedAt === undefined ? undefined : Date.parse(order.openedAt);
  const of = { ...order.run, victimQueue: order.victimQueue, openedMs };
  return whyHeld(of, row.holds, settings, row.now.getTime());
}
