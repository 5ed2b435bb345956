import numpy as np
import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            to = int(pb.get_input_tensor_by_name(request, "to").as_numpy()[0])
            for number in range(to):
                sender.send(pb.InferenceResponse([pb.Tensor("number", np.array([number]))]))
            sender.send(flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
