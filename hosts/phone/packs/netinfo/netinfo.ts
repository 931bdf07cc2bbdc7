import type { Pack } from "../../modules/Pack.ts"

/** @react-native-community/netinfo: requests may be answered by a recording, so the app is on a network if the page is. */
export const netinfo: Pack = {
  partial: ({ callable }) => {
    const state = () => {
      const isOnline = navigator.onLine
      const details = isOnline ? { isConnectionExpensive: false, ssid: null, ipAddress: null } : null
      return { type: isOnline ? "wifi" : "none", isConnected: isOnline, isInternetReachable: isOnline, details }
    }
    for (const change of ["online", "offline"])
      window.addEventListener(change, () => callable.emit("netInfo.networkStatusDidChange", state()))
    return { RNCNetInfo: { configure: () => {}, getCurrentState: async () => state() } }
  }
}
