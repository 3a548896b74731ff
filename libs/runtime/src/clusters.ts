import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  AnswerWakeUps,
  CLUSTER_DRIVER,
  CLUSTER_READER,
  EvictionRequests,
  InventoryCluster,
  InventoryControl,
  type ReportsWatermark,
  SimulatedCluster,
  SimulatedClusterModule,
} from '#clusters';
import { WakeListener } from '#event-store';
import type { ClusterSettings } from './settings/cluster-settings.js';

export interface ClusterParts {
  imports: NonNullable<DynamicModule['imports']>;
  providers: Provider[];
}

/**
 * The cluster that the apps of a process read, and may evict from.
 *
 * @param watermark checks whether the reports of an inventory are applied; absent: there is no bus that they wait on.
 */
export function clusterParts(settings: ClusterSettings, watermark?: ReportsWatermark): ClusterParts {
  return settings.cluster === 'simulated' ? simulated : inventory(settings, watermark);
}

const simulated: ClusterParts = {
  imports: [SimulatedClusterModule],
  providers: driverIs(SimulatedCluster),
};

/** The cluster with what the event handlers that keep it need: those are in the apps that take its reports and answers. */
function inventory(settings: ClusterSettings, watermark: ReportsWatermark | undefined): ClusterParts {
  const requests = { answerSeconds: settings.inventoryAnswerSeconds };
  const freshness = { staleSeconds: settings.inventoryStaleSeconds, watermark };
  return {
    imports: [],
    providers: [
      {
        provide: AnswerWakeUps,
        inject: [WakeListener],
        useFactory: (wake: WakeListener) => new AnswerWakeUps(wake),
      },
      {
        provide: InventoryCluster,
        inject: [DataSource, AnswerWakeUps],
        useFactory: (db: DataSource, wakeUps: AnswerWakeUps) =>
          new InventoryCluster(db, new EvictionRequests(db, wakeUps, requests), freshness),
      },
      {
        provide: InventoryControl,
        inject: [DataSource],
        useFactory: (db: DataSource) => new InventoryControl(db, freshness),
      },
      ...driverIs(InventoryCluster),
    ],
  };
}

function driverIs(driver: Type): Provider[] {
  return [
    { provide: CLUSTER_DRIVER, useExisting: driver },
    { provide: CLUSTER_READER, useExisting: driver },
  ];
}
