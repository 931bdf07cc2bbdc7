import { constants, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import type { Fields } from "../../runtime/decode.ts"
import { device, settings } from "../../runtime/device.ts"

const power = { batteryLevel: -1, batteryState: "unknown", lowPowerMode: false }

/** The answers of methods that are there twice: as promises, and at once with names that end in `Sync`. */
const answers: Fields = {
  getUniqueId: "replay",
  getInstanceId: "replay",
  getDeviceName: "Replay",
  getUserAgent: navigator.userAgent,
  getBatteryLevel: power.batteryLevel,
  getPowerState: power,
  getCarrier: "unknown",
  getIpAddress: "unknown",
  // What every iPhone answers.
  getMacAddress: "02:00:00:00:00:00",
  getBuildId: "unknown",
  getInstallerPackageName: "unknown",
  getFirstInstallTime: Date.now(),
  getLastUpdateTime: Date.now(),
  getStartupTime: Date.now(),
  getTotalMemory: 4e9,
  getMaxMemory: 4e9,
  getUsedMemory: 1e8,
  getTotalDiskCapacity: 64e9,
  getTotalDiskCapacityOld: 64e9,
  getFreeDiskStorage: 16e9,
  getFreeDiskStorageOld: 16e9,
  getBrightness: 1,
  getSupportedAbis: [],
  getAvailableLocationProviders: {},
  isEmulator: true,
  isBatteryCharging: false,
  isAirplaneMode: false,
  isCameraPresent: false,
  isPinOrFingerprintSet: false,
  isLocationEnabled: false,
  isHeadphonesConnected: false,
  isWiredHeadphonesConnected: false,
  isBluetoothHeadphonesConnected: false
}

/** react-native-device-info. What an app's binary knows of itself isn't in its bundle: its version is 1.0.0. */
export const deviceInfo: Pack = {
  partial: () => ({
    RNDeviceInfo: {
      ...constants({
        model: "iPhone",
        deviceId: "iPhone",
        brand: "Apple",
        systemName: "iOS",
        systemVersion: "18.0",
        bundleId: "unknown",
        appName: "unknown",
        appVersion: "1.0.0",
        buildNumber: "1",
        deviceType: device()?.kind === "pad" ? "Tablet" : "Handset",
        isTablet: device()?.kind === "pad",
        isLowRamDevice: false,
        isDisplayZoomed: false
      }),
      ...resolving({ ...answers, syncUniqueId: "replay", getFontScale: () => settings().textSize }),
      getFontScaleSync: () => settings().textSize,
      ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [`${name}Sync`, () => answer]))
    }
  })
}
