import type { Pack } from "../../modules/Pack.ts"
import { onSettings, settings } from "../../runtime/device.ts"

/** @react-native-community/netinfo: requests may be answered by a recording, so the app has a network unless it is set offline. */
export const netinfo: Pack = {
  partial: ({ callable }) => {
    const isSetOffline = ({ network } = settings()) => network === "offline"
    const state = () => {
      const isOnline = navigator.onLine && !isSetOffline()
      const details = isOnline ? { isConnectionExpensive: false, ssid: null, ipAddress: null } : null
      return { type: isOnline ? "wifi" : "none", isConnected: isOnline, isInternetReachable: isOnline, details }
    }
    const changed = (): void => callable.emit("netInfo.networkStatusDidChange", state())
    for (const change of ["online", "offline"]) window.addEventListener(change, changed)
    onSettings((before) => {
      if (isSetOffline(before) !== isSetOffline()) changed()
    })
    return { RNCNetInfo: { configure: () => {}, getCurrentState: async () => state() } }
  }
}
