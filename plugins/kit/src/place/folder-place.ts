import { createDirectory, DiskReserve, type OpenLog, withFreedSpace } from "@membus/disk";
import type { Logger, PluginServices } from "@membus/protocol/plugin";
import type { Storage, StorageContext } from "../storage.js";
import { checkFormat } from "./format-file.js";
import { lockTierDirectory } from "./locked-directory.js";
import { manifestFile } from "./manifest-file.js";
import { markerFiles } from "./marker-files.js";
import { storageServices } from "./storage-services.js";
import type { MarkerPlace, Markers, TierPlace } from "./tier-place.js";

/** Backends that keep the rows and the log of a tier in its folder. */
export interface FolderBackends {
  storage(context: StorageContext): Storage;
  readonly openLog: OpenLog;
  /** Size of the disk reserve. Bytes. */
  readonly reserveBytes: number;
}

/** Locks the folder of a durable tier. It also works on a full disk. Errors as in `lockTierDirectory`. */
export async function openFolder(backends: FolderBackends, services: PluginServices): Promise<TierPlace> {
  const { tier, logger } = services;
  const reserve = await DiskReserve.find(services.dataDirectory ?? "", backends.reserveBytes);
  const { path: directory, release } = await withFreedSpace(
    () => reserve.releaseAll(),
    () => lockTierDirectory(services),
  );
  const markers = markerFiles(directory, logger);
  const context = { directory, ...storageServices(services) };
  return {
    ...{ markers, reserve, release },
    manifest: manifestFile(directory, tier, markers),
    createStorage: ({ keptContentId }) => backends.storage({ ...context, keptContentId }),
    openLog: (recovery) => backends.openLog(directory, recovery, services),
  };
}

/** Locks the folder of a tier in memory. Undefined without a folder. Errors as in `lockTierDirectory`. */
export async function openMarkerFolder(services: PluginServices): Promise<MarkerPlace | undefined> {
  if (services.dataDirectory === undefined) return undefined;
  const { path, release } = await lockTierDirectory(services);
  return { markers: markerFiles(path, services.logger), release };
}

/** Creates the folder of a copy. @returns the markers of the copy. */
export async function createFolder(directory: string, logger: Logger): Promise<Markers> {
  await createDirectory(directory);
  await checkFormat(directory, logger);
  return markerFiles(directory, logger);
}
