#include "report/simulation_page.h"

#include "report/assets.h"
#include "report/page_template.h"

namespace evenkeel::report {

std::string SimulationPage(std::string_view title, std::string_view data) {
  const std::string safe_title = EscapeHtml(title);
  const std::string safe_data = EscapeForScript(data);
  return FillIn(assets::kSimulationPage, {{"TITLE", safe_title},
                                          {"HEAD", assets::kHead},
                                          {"MARK", assets::kMark},
                                          {"STYLE", assets::kStyle},
                                          {"SIMULATION_STYLE", assets::kSimulationStyle},
                                          {"DATA", safe_data},
                                          {"FORMAT", assets::kFormat},
                                          {"LANES", assets::kLanes},
                                          {"LANES_PAINT", assets::kLanesPaint},
                                          {"LANES_INPUT", assets::kLanesInput},
                                          {"LEGEND", assets::kLegend},
                                          {"NODES", assets::kNodes},
                                          {"SIMULATION", assets::kSimulation}});
}

}  // namespace evenkeel::report
