import { StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** Tide, wind and working channel, side by side. */
export const Conditions = ({ harbour }) => {
  const theme = useTheme()
  const facts = [
    ["High water", harbour.highWater],
    ["Wind", harbour.wind],
    ["Channel", harbour.channel]
  ]
  return (
    <View style={[styles.strip, { backgroundColor: theme.deep }]}>
      {facts.map(([name, value], index) => (
        <View key={name} style={[styles.fact, index > 0 && { borderLeftWidth: 1, borderLeftColor: "#FFFFFF1F" }]}>
          <Text style={[styles.name, { color: theme.onDeepMuted }]}>{name}</Text>
          <Text style={[styles.value, { color: theme.onDeep }]}>{value}</Text>
        </View>
      ))}
    </View>
  )
}

const styles = StyleSheet.create({
  strip: { flexDirection: "row", borderRadius: 20, paddingVertical: 16 },
  fact: { flex: 1, paddingHorizontal: 16, gap: 3 },
  name: { fontSize: 12, fontWeight: "600" },
  value: { fontSize: 19, fontWeight: "800", letterSpacing: -0.3 }
})
