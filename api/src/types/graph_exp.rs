// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Graph (experimental).

use super::*;

ur_types! {
    /// Handle of a recorded graph of commands, filled by capturing a queue.
    handle ExpGraphHandle = ur_exp_graph_handle_t {}

    /// Handle of a graph instantiated for execution, which can be enqueued repeatedly.
    handle ExpExecutableGraphHandle = ur_exp_executable_graph_handle_t {}

    /// Host function that runs when a graph is destroyed.
    callback ExpGraphDestructionCallback = ur_exp_graph_destruction_callback_t {
        /// pointer given at registration; may be null
        [in] pUserData: *mut c_void,
    }
}
